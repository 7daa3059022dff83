/** Small readings shared by both languages: quotes, paths, addresses. */

/** A path as people type it: quoted, or one word without spaces. For use inside a pattern. */
export const PATH: string = String.raw`(?:"[^"]+"|'[^']+'|\x60[^\x60]+\x60|“[^”]+”|「[^」]+」|[^\s,，。；;：:、"'\x60“”「」]+)`;
export const URL_PATTERN: string = String.raw`https?:\/\/[^\s"'<>，。；、）]+`;

const PAIRS: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”", "「": "」", "‘": "’" };

/** Takes one pair of quotation marks off. */
export function unquote(text: string): string {
  const trimmed = text.trim();
  const closing = PAIRS[trimmed.charAt(0)];
  return closing !== undefined && trimmed.length > 1 && trimmed.endsWith(closing) ? trimmed.slice(1, -1) : trimmed;
}

export function isQuoted(text: string): boolean {
  return unquote(text) !== text.trim();
}

/** Files that have no extension but are files to everybody. */
const KNOWN_FILES =
  /^(readme|license|licence|notice|changelog|makefile|dockerfile|memory|heartbeat|soul|agents|user|tools)$/i;

/** Whether the word can only be meant as a file or folder: `notes.txt`, `src/a`, `README`, or in quotes. */
export function looksLikePath(text: string): boolean {
  const word = unquote(text);
  if (isQuoted(text)) return word !== "";
  return (
    KNOWN_FILES.test(word) || /[/\\]/.test(word) || /^@|.\.[A-Za-z0-9]{1,8}$/.test(word) || /^\.[A-Za-z]/.test(word)
  );
}

/** `@notes.txt` is how the terminal completes files; the tools want `notes.txt`. */
export function cleanPath(text: string | undefined): string {
  return unquote(text ?? "").replace(/^@/, "");
}

/** A folder in people's words: "here" and "the workspace" are `.`. */
export function cleanFolder(text: string | undefined): string {
  const word = cleanPath(text)
    .replace(/^(?:the|my|this)\s+/i, "")
    .replace(/\s+(?:folder|directory|dir)$/i, "");
  return word === "" ||
    /^(?:here|folder|directory|workspace|current|it|current folder|这里|当前|工作区|本地)$/i.test(word)
    ? "."
    : word;
}
