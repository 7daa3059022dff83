/** Whether a command speaks of a name: not as a part of another one, nor as an option. */
export function isWordIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return true;
  return false;
}

function isPart(character: string | undefined): boolean {
  return character !== undefined && /[\w-]/.test(character);
}
