/** What never goes into memory: reasoning, echoes of tools, bytes as text, and where things lie on this machine. */

const THINK = /<(think|thinking|thought)>[\s\S]*?(<\/\1>|$)/gi;
/** Our own form of calls and results, as a model copies it from the conversation it was shown. */
const ECHO = /^(\[[\d -]+:\d\d\] )?(Assistant calls \S+ [{[]|Result of \S+: ).*(\n|$)/gm;
const DATA_URL = /data:[\w.+/-]+;base64,[A-Za-z0-9+/=]+/g;
/** Nothing that a person writes is that long without a blank, and few languages write it in these letters alone. */
const BYTES = /(?<![A-Za-z0-9+/=_-])(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{200,}={0,2}/g;
const PATH =
  /(?<![\w.:/~-])(?:file:\/\/)?\/(?:home|Users|root|tmp|private|var|mnt|media|opt|srv|Volumes)\/(?:[^\s/"'`<>()[\]{}|,;:，。；：、]+\/)*([^\s/"'`<>()[\]{}|,;:，。；：、]*)/g;
const WINDOWS_PATH = /(?<![\w])[A-Za-z]:\\(?:[^\s\\"'`<>()[\]{}|,;:]+\\)*([^\s\\"'`<>()[\]{}|,;:]*)/g;

/**
 * @param workspace Its files keep their place in it: `notes/plan.md`. Of other files the name stays.
 * @param known A text whose lines stay as they are: what a person wrote into MEMORY.md.
 */
export function memoryText(text: string, workspace: string, known = ""): string {
  const kept = new Set(known.split("\n"));
  const bare = text.replace(THINK, "").replace(DATA_URL, "[data]");
  return bare
    .split("\n")
    .map((line) => (kept.has(line) ? line : cleanLine(line, workspace)))
    .filter((line): line is string => line !== undefined)
    .join("\n")
    .trim();
}

function cleanLine(line: string, workspace: string): string | undefined {
  if (line.search(ECHO) === 0) return undefined;
  return line
    .replaceAll(BYTES, "[data]")
    .replaceAll(`${workspace}/`, "")
    .replaceAll(PATH, (_path, name: string) => name)
    .replaceAll(WINDOWS_PATH, (_path, name: string) => name);
}
