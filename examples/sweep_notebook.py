# %% [markdown]
# # What does an election on a ring cost?
#
# Three algorithms, 20 random rings of each size. Open this file as a notebook (VS Code, PyCharm and jupytext know its
# cells), or run it as a program; it writes `ring-cost.svg`.

# %%
from concurrent.futures import ThreadPoolExecutor

from habemus import Scenario, simulate
from habemus.measuring.plot import draw_sweep
from habemus.measuring.sweep import build_usual_scenario, repeat_with_seeds, summarise_runs, sweep

ALGORITHMS = ("chang-roberts", "franklin", "hirschberg-sinclair")
SIZES = (8, 16, 32, 64)

# %% [markdown]
# One run first. In a notebook the trace of an outcome draws itself.

# %%
outcome = simulate(Scenario("chang-roberts"), keep=1000)
outcome.trace  # noqa: B018

# %% [markdown]
# Now all of them. Any executor will do: a ProcessPoolExecutor takes all cores, a Dask client's a cluster.

# %%
scenarios = repeat_with_seeds([build_usual_scenario(name, n) for name in ALGORITHMS for n in SIZES], seeds=20)
with ThreadPoolExecutor() as executor:
    rows = [row for chunk in sweep(scenarios, executor) for row in chunk]
summaries = summarise_runs(rows)
for summary in summaries:
    print(f"{summary.algorithm:20} n = {summary.n:3}  {summary.mean:7.1f} messages, {summary.most:5.0f} at most")

# %% [markdown]
# The proven bounds are drawn in.

# %%
draw_sweep(rows, summaries, "ring-cost.svg")
