// The guided stories, in the order in which the lecture notes tell them.

import amnesia from "./amnesia.js";
import bully from "./bully.js";
import changRoberts from "./chang-roberts.js";
import flapping from "./flapping.js";
import franklin from "./franklin.js";
import quorum from "./quorum.js";
import silence from "./silence.js";
import slowHolder from "./slow-holder.js";
import symmetry from "./symmetry.js";
import weight from "./weight.js";
import yoyo from "./yoyo.js";

export default [slowHolder, silence, quorum, amnesia, bully, flapping, symmetry, changRoberts, franklin, yoyo, weight];
