/** What of an answer is said aloud, and in which language. */

/** What nobody listens to, and what is not part of the answer. */
const UNSPOKEN = "pre, .code, math, svg, table, button, [aria-hidden=true]";
const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, blockquote";
/** Some voices end by themselves in a longer piece. */
const PIECE_CHARS = 200;

/** Pieces of the written text on the page, in order: without code, tables, calls and what is thought. */
export function spokenOf(answer: Element): readonly string[] {
  return [...answer.querySelectorAll(":scope > .md")].flatMap((text) => {
    const copy = text.cloneNode(true) as Element; // cloned as what it is
    for (const unspoken of copy.querySelectorAll(UNSPOKEN)) unspoken.remove();
    for (const block of copy.querySelectorAll(BLOCKS)) block.append("\n");
    const lines = (copy.textContent ?? "").split("\n").map((line) => line.replaceAll(/\s+/gu, " ").trim());
    return lines.filter((line) => line !== "").flatMap(inPieces);
  });
}

/** Cut behind the last end of a sentence, else a gap, within what a voice takes. */
function inPieces(line: string): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > PIECE_CHARS) {
    const head = rest.slice(0, PIECE_CHARS);
    const sentence = Math.max(...[..."。！？；", ". ", "! ", "? ", "; "].map((end) => head.lastIndexOf(end)));
    const gap = sentence > 0 ? sentence : Math.max(head.lastIndexOf(" "), head.lastIndexOf("，"));
    const at = gap > 0 ? gap + 1 : PIECE_CHARS;
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  return rest === "" ? pieces : [...pieces, rest];
}

/** By its writing, where that says it: the rest is taken for the language of the page. */
export function languageOf(text: string, page: string): string {
  const count = (letters: RegExp): number => text.match(letters)?.length ?? 0;
  const letters = count(/\p{L}/gu);
  if (count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) * 10 > letters) return "ja";
  if (count(/\p{Script=Hangul}/gu) * 4 > letters) return "ko";
  if (count(/\p{Script=Han}/gu) * 4 > letters) return "zh-CN";
  if (count(/\p{Script=Cyrillic}/gu) * 2 > letters) return "ru";
  return page.startsWith("zh") ? "en" : page;
}

/** One of the very language, before one of another region; on this device, before one that sends the text to a service. */
export function voiceFor(language: string, voices: readonly SpeechSynthesisVoice[]): SpeechSynthesisVoice | undefined {
  const tag = (voice: SpeechSynthesisVoice): string => voice.lang.replace("_", "-").toLowerCase();
  const base = language.split("-", 1)[0]?.toLowerCase() ?? "";
  const fit = voices.filter((voice) => tag(voice).split("-", 1)[0] === base && voice.localService);
  return fit.find((voice) => tag(voice) === language.toLowerCase()) ?? fit.find((voice) => voice.default) ?? fit[0];
}
