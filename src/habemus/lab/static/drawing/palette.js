// The colours and icons of every picture, the same as in habemus/trace/palette.py and diagram.py.

export const ROLE_COLOUR = { leader: "#E69F00", candidate: "#56B4E9", inside: "#009E73", waiting: "#999999" };
export const VIOLATION = "#D55E00";
export const CHOSEN = "#0072B2"; // what the user has selected
export const FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'Segoe UI', sans-serif";

const INKS = [
  { line: "#0072B2", light: "#00609A", dark: "#5DB2EA", dash: [] },
  { line: "#CC79A7", light: "#A3487B", dark: "#E6A3C7", dash: [7, 3] },
  { line: "#757B85", light: "#3C4046", dark: "#C3C8CF", dash: [2, 3] },
  { line: "#A89B00", light: "#776D00", dark: "#F0E442", dash: [9, 3, 2, 3] },
  { line: "#009E73", light: "#00795A", dark: "#3FC79F", dash: [12, 4] },
  { line: "#B5651D", light: "#8F4A0B", dark: "#E9A15B", dash: [5, 2, 1, 2, 1, 2] },
];

/** The line of messages of lower layers: thin dots, whatever their type. */
export const BELOW = { width: 0.7, dash: [1.5, 2.5] };

const LIGHT = { ground: "#ffffff", ink: "#1f2328", soft: "#6b7280", lane: "#8b929c", faint: "#e3e6ea", alarm: "#b34700", chosen: "#00609A" };
const DARK = { ground: "#14171c", ink: "#e8eaed", soft: "#9aa3af", lane: "#6f7885", faint: "#2a3038", alarm: "#ff8f4d", chosen: "#5DB2EA" };

/** The colours of a theme: ground, ink, soft, lane, faint, text that is alarming or chosen, and `inkOf(kind)` of message types: {line, text, dash}. */
export function coloursOf(theme) {
  const dark = theme === "dark";
  const inks = INKS.map((ink) => ({
    line: dark ? ink.dark : ink.line,
    text: dark ? ink.dark : ink.light,
    dash: ink.dash,
  }));
  return { ...(dark ? DARK : LIGHT), dark, inkOf: (kind) => inks[kind % inks.length] };
}

/** Icons around the origin, about 15 by 15. */
export const ICON_PATH = {
  leader: "M-6.5 5 L-7.5 -4 L-3.4 -0.6 L0 -6.5 L3.4 -0.6 L7.5 -4 L6.5 5 Z",
  candidate: "M-3.5 7.5 V-7 L6.5 -3.6 L-3.5 -0.2",
  inside: "M-5.5 -0.5 H5.5 V7 H-5.5 Z M-3.4 -0.5 V-3 A3.4 3.6 0 0 1 3.4 -3 V-0.5",
  waiting: "M-4.5 -6 H4.5 L-4.5 6 H4.5 Z",
};

/** The faults of a process that have an icon on its lane. */
export const FAULTS = ["crash", "recover", "pause", "resume", "skew", "drift", "refuse"];

/** The icon of an event: its fault, its new role, or its trigger. */
export function iconOf(event) {
  if (FAULTS.includes(event.kind) && !event.clause) return event.kind;
  if (event.role && event.role in ICON_PATH) return event.role;
  return ["timeout", "suspect", "trust"].includes(event.kind) ? "timeout" : "step";
}
