"""From a question to its answer: verdict, counterexample, replay, story, validation of traces."""
