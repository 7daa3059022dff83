/** Work in slices: others wait for the event loop no longer than for one of them. */
import type PostalMime from "postal-mime";
import type { Email } from "postal-mime";

const SLICE_MS = 10;
/** So many lines are looked at before the time is. */
const LINES = 256;

/** What the types of the library leave out: it is called with each line of a mail, and waited for. */
interface ByLine {
  processLine(line: Uint8Array, isLast: boolean): Promise<void>;
}

/** A mail of 36 MB is half a million lines, which the library reads in one go. */
export function parseInSlices(
  Parser: typeof PostalMime,
  source: Uint8Array,
  othersTurn: () => Promise<void>,
): Promise<Email> {
  const parser = new Parser({ attachmentEncoding: "arraybuffer" });
  const inside = parser as unknown as ByLine; // see there
  const read = inside.processLine.bind(parser);
  let lines = 0;
  let begun = performance.now();
  inside.processLine = async (line, isLast) => {
    lines += 1;
    if (lines % LINES === 0 && performance.now() - begun > SLICE_MS) {
      await othersTurn();
      begun = performance.now();
    }
    return read(line, isLast);
  };
  return parser.parse(source);
}
