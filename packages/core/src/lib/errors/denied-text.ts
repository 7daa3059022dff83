/** What a model is told of a command on the deny list, by whoever refuses it. */
export function deniedText(pattern: string): string {
  return `Error: exec refused: the command matches the deny list (${pattern}). Next: use a safer command or ask the operator.`;
}
