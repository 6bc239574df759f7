/**
 * Search over what the page already says: operations, headings, fields, headers and error codes. The index is read from the
 * page at the first use. `/` goes to the field, arrows choose, Enter opens, Escape leaves.
 */
export const SEARCH_SCRIPT = String.raw`
const tools = document.querySelector(".tools");
const input = tools.querySelector("input");
const found = document.getElementById("found");
tools.hidden = false;

let index;
const cell = (text) => text.replace(/\s+/g, " ").trim();
function readIndex() {
  const entries = [];
  const add = (kind, name, about, target) => entries.push({ kind, name, about, target, text: cell(name + " " + about).toLowerCase() });
  for (const section of all("section[id]")) {
    const route = cell(section.querySelector(".route").textContent);
    add(0, cell(section.querySelector("h3").textContent), route, section);
    for (const row of all("tbody tr, .headers li", section)) {
      const code = row.querySelector('[data-column="Field"] > code, [data-column="Name"] > code, :scope > code');
      if (code) add(3, code.textContent, route, row);
    }
  }
  for (const code of all('.codes [data-column="Code"] > code')) {
    const row = code.closest("tr");
    add(1, code.textContent, cell(code.parentElement.querySelector("p").textContent), row);
  }
  for (const heading of all("h2[id]")) add(2, heading.textContent, "Section", heading);
  return entries;
}

/** Better matches have lower numbers. */
function score({ kind, name, text }, words) {
  if (!words.every((word) => text.includes(word))) return null;
  const label = name.toLowerCase();
  const [first] = words;
  const last = label.split(/[.[\]]+/).filter(Boolean).at(-1);
  const place = label === first || last === first ? 0 : label.startsWith(first) ? 1 : label.includes(first) ? 2 : 3;
  return place * 10 + kind + label.length / 1000;
}

let options = [];
let active = -1;
function show() {
  index ??= readIndex();
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length === 0 ? [] : index
    .map((entry) => ({ entry, rank: score(entry, words) }))
    .filter(({ rank }) => rank !== null)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, 20);
  options = hits.map(({ entry }, at) => {
    const option = make("li", { id: "found-" + at });
    option.setAttribute("role", "option");
    option.append(make(entry.kind % 2 ? "code" : "b", { textContent: entry.name }), make("small", { textContent: entry.about }));
    option.addEventListener("pointerdown", (event) => event.preventDefault());
    option.addEventListener("click", () => open(entry.target));
    return { option, entry };
  });
  const none = make("li", { className: "none", textContent: "No results" });
  found.replaceChildren(...(options.length === 0 && words.length > 0 ? [none] : options.map(({ option }) => option)));
  const isOpen = words.length > 0;
  found.hidden = !isOpen;
  found.scrollTop = 0;
  input.setAttribute("aria-expanded", isOpen);
  mark(options.length === 0 ? -1 : 0);
}
function mark(at) {
  active = at;
  options.forEach(({ option }, place) => option.setAttribute("aria-selected", place === at));
  const option = options[at]?.option;
  if (option) input.setAttribute("aria-activedescendant", option.id);
  else input.removeAttribute("aria-activedescendant");
  option?.scrollIntoView({ block: "nearest" });
}
function close() {
  found.hidden = true;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}
function open(target) {
  close();
  input.value = "";
  input.blur();
  for (let up = target.parentElement; up; up = up.parentElement) if (up.localName === "details") up.open = true;
  const id = target.closest("section[id], h2[id]")?.id ?? "error-codes";
  history.pushState(null, "", "#" + id);
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: target.matches("tr, li") ? "center" : "start" });
  target.classList.add("hit");
  setTimeout(() => target.classList.remove("hit"), 2500);
}
input.addEventListener("input", show);
input.addEventListener("focus", () => { if (input.value) show(); });
input.addEventListener("blur", close);
input.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (found.hidden) input.blur();
    input.value = "";
    close();
  } else if (event.key === "Enter" && options[active]) {
    event.preventDefault();
    open(options[active].entry.target);
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && options.length > 0) {
    event.preventDefault();
    mark((active + (event.key === "ArrowDown" ? 1 : options.length - 1)) % options.length);
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  menu.open = false;
  input.focus();
});
`;
