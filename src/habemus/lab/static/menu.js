// A small menu beside what was clicked. One at a time; Escape or a click elsewhere closes it.

let open = null;

/**
 * Show a menu at a point of the window. Items: {label, key, run}, {label, run(value), value} with a value to fill in,
 * or null for a rule between groups. `head` is {title, note}.
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
  for (const item of items) menu.append(item === null ? document.createElement("hr") : entry(item));
  document.body.append(menu);
  const box = menu.getBoundingClientRect();
  const left = clientX + 14 + box.width > window.innerWidth - 8 ? clientX - box.width - 14 : clientX + 14;
  menu.style.left = `${Math.max(8, Math.min(left, window.innerWidth - box.width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(clientY - 20, window.innerHeight - box.height - 8))}px`;
  const before = document.activeElement;
  open = { menu, before };
  menu.querySelector("button")?.focus({ preventScroll: true });
  menu.addEventListener("keydown", (event) => walk(event, menu));
}

function entry(item) {
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
  const row = document.createElement("div");
  row.className = "with";
  const input = document.createElement("input");
  input.value = item.value;
  input.setAttribute("aria-label", item.label);
  button.addEventListener("click", () => choose(() => item.run(input.value)));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") choose(() => item.run(input.value));
  });
  row.append(button, input);
  return row;
}

function choose(run) {
  closeMenu();
  run();
}

function walk(event, menu) {
  if (event.key === "Escape") {
    event.preventDefault();
    closeMenu();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const buttons = [...menu.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const next = (at + (event.key === "ArrowDown" ? 1 : -1) + buttons.length) % buttons.length;
    buttons[next].focus();
  }
  event.stopPropagation();
}

/** Close the menu, if one is open; says whether there was. */
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
