// What messages are called: as in the code, or as lecture notes call them in the language of the page.

let names = {};
let version = 0;

/** Call messages so from now on: {type: name}, and {"Vote(True)": name} for some contents of a type. */
export function setMessageNames(given) {
  names = given ?? {};
  version += 1;
}

/** Changes whenever messages are called otherwise. */
export function namesVersion() {
  return version;
}

/** The name of a type of messages. */
export function nameOfType(type) {
  return names[type] ?? type;
}

/** The name of messages of a type with these values, if they have one of their own. */
export function nameOfContents(type, values) {
  const spelled = values.map((value) => (value === true ? "True" : value === false ? "False" : String(value)));
  return names[`${type}(${spelled.join(", ")})`];
}
