// A small menu beside what was clicked. One at a time; Escape or a click elsewhere closes it.

import { t } from "../words/text.js";
import { build } from "./elements.js";

const EDGE = 8; // pixels between the menu and the edge of the window

let open = null;

/**
 * Show a menu at a point of the window. Items: {label, key, run}; {label, value, kind, run(value)} with a value to fill in,
 * which `kind.read(text)` parses, or returns null, and then the words `kind.wanted` say what is expected; or null for a rule
 * between groups. `head` is {title, note}.
 */
export function showMenu({ clientX, clientY }, head, items) {
  closeMenu();
  const menu = document.createElement("div");
  menu.className = "menu";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", head.title);
  const title = menu.appendChild(document.createElement("div"));
  title.className = "head";
  title.textContent = head.title;
  if (head.note) title.append(Object.assign(document.createElement("small"), { textContent: head.note }));
  for (const item of items) menu.append(item === null ? document.createElement("hr") : buildItem(item));
  document.body.append(menu);
  const box = menu.getBoundingClientRect();
  const left = clientX + 14 + box.width > window.innerWidth - 8 ? clientX - box.width - 14 : clientX + 14;
  menu.style.left = `${Math.max(EDGE, Math.min(left, window.innerWidth - box.width - EDGE))}px`;
  placeBelow(menu, clientY - 20);
  const before = document.activeElement;
  open = { menu, before };
  menu.querySelector("button")?.focus({ preventScroll: true });
  menu.addEventListener("keydown", (event) => navigate(event, menu, items));
}

/** Move the top of the menu there, or higher if the menu would not fit. */
function placeBelow(menu, top) {
  menu.style.top = `${Math.max(EDGE, Math.min(top, window.innerHeight - menu.offsetHeight - EDGE))}px`;
}

function buildItem(item) {
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("role", "menuitem");
  button.dataset.action = item.name ?? "";
  button.append(item.label);
  if (item.key) button.append(Object.assign(document.createElement("kbd"), { textContent: item.key }));
  if (item.value === undefined) {
    button.addEventListener("click", () => choose(() => item.run()));
    return button;
  }
  const input = build("input", { value: item.value, "aria-label": item.label });
  const problem = build("p.problem", { role: "alert", hidden: true });
  const submit = () => {
    const value = item.kind.read(input.value.trim());
    if (value !== null) {
      choose(() => item.run(value));
      return;
    }
    problem.textContent = t(item.kind.wanted);
    problem.hidden = false;
    input.setAttribute("aria-invalid", "true");
    input.focus();
    input.select();
    placeBelow(open.menu, open.menu.offsetTop);
  };
  button.addEventListener("click", submit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") submit();
  });
  return build("div", {}, build("div.with", {}, button, input), problem);
}

function choose(run) {
  closeMenu();
  run();
}

function navigate(event, menu, items) {
  const named = items.find((item) => item?.key === event.key && item.value === undefined);
  if (event.key === "Escape") {
    event.preventDefault();
    closeMenu();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const buttons = [...menu.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const next = (at + (event.key === "ArrowDown" ? 1 : -1) + buttons.length) % buttons.length;
    buttons[next].focus();
  } else if (named && !event.target.matches("input") && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    choose(named.run);
  }
  event.stopPropagation();
}

/** Close the menu; returns whether one was open. */
export function closeMenu() {
  if (open === null) return false;
  const { menu, before } = open;
  open = null;
  menu.remove();
  if (before instanceof Element && before.isConnected) before.focus({ preventScroll: true });
  return true;
}

document.addEventListener(
  "pointerdown",
  (event) => {
    if (open && !open.menu.contains(event.target)) closeMenu();
  },
  true,
);
