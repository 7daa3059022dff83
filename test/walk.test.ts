// The walk of docs/architecture.md is the one that a message takes: which files wait for something on its way, in which order
// they come, and how much is entered at all.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

interface Walk {
  readonly sent: readonly string[];
  /** Each file of core that was entered, and its functions in which something was waited for. */
  readonly entered: Readonly<Record<string, readonly string[]>>;
  /** The files on the stack at each commit and each effect, the outermost first. */
  readonly stacks: readonly { readonly at: string; readonly files: readonly string[] }[];
}

const root = join(import.meta.dirname, "..");
/** Rooms that a stop walks into: the machine, the disk, a tool's own affair, and helpers. */
const BESIDE = /^(?:machine|journal|lib|builtin|contract)\//;
const MAX_FILES = 125;

const stops = [
  ...between("<!-- the walk -->", "<!-- the end of the walk -->").matchAll(/^\d+\. `packages\/core\/src\/([^`]+)`/gm),
].map(([, path = ""]) => path);

test("one later message with one tool call stops where docs/architecture.md says, in that order", async () => {
  const walk = await walked();
  expect(walk.sent).toEqual(["hello", "Friday."]);
  const waiting = Object.entries(walk.entered).flatMap(([path, functions]) =>
    functions.length > 0 && !BESIDE.test(path) ? [path] : [],
  );
  expect(waiting.toSorted()).toEqual(stops.toSorted());
  const seen = walk.stacks.flatMap(({ files }) => files).filter((path) => !BESIDE.test(path));
  const order = [...new Set(seen)];
  expect(order).toEqual(stops.filter((path) => order.includes(path)));
  const seenAt = walk.stacks.map(({ at }) => at);
  expect(seenAt.filter((at) => at.startsWith("commit "))).toEqual(COMMITS);
  expect(seenAt.filter((at) => !at.startsWith("commit "))).toEqual(EFFECTS);
  expect(Object.keys(walk.entered).length).toBeLessThanOrEqual(MAX_FILES);
});

/** What is written for one message, in its order. When it reaches the disk is not fixed beside the effects. */
const COMMITS = [
  "message.received",
  "notice.added turn.started",
  "model.requested",
  "model.responded",
  "call.judged tool.started",
  "tool.finished",
  "model.requested",
  "model.responded",
  "turn.ended reply.queued",
  "reply.sending",
  "reply.sent reply.delivered",
].map((records) => `commit ${records}`);
const EFFECTS = ["fetch", "execute", "fetch", "send"];

async function walked(): Promise<Walk> {
  const program = join(root, "test/fixtures/one-walk.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=margay-source", program]);
  return JSON.parse(stdout) as Walk; // printed by our own program
}

function between(from: string, to: string): string {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  return page.slice(page.indexOf(from), page.indexOf(to));
}
