// How much of what a person types, runs and pastes the chat holds.
import { appendFileSync, chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openHistory } from "../../src/host/tui/input/history.ts";
import { pastedImage } from "../../src/host/tui/input/images.ts";
import { clipboardImage, runOwn } from "../../src/host/tui/input/programs.ts";

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), "margay-input-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const PNG = "\u0089PNG\r\n\u001a\n";

test("history/MAX_TYPED: of more than 1,000 texts the newest are kept, and the file is shortened", () => {
  const home = folder();
  const lines = Array.from({ length: 2100 }, (_, at) => `${JSON.stringify(`text ${at}`)}\n`);
  writeFileSync(join(home, "history.jsonl"), lines.join(""));
  appendFileSync(join(home, "history.jsonl"), '"half a li');
  const history = openHistory(home);
  expect([history.typed().length, history.typed()[0], history.typed().at(-1)]).toEqual([
    1000,
    "text 1100",
    "text 2099",
  ]);
  history.add("one more");
  expect(openHistory(home).typed().slice(-2)).toEqual(["text 2099", "one more"]);
  expect(openHistory(home).typed()[0]).toBe("text 1101");
});

test("programs/MAX_OUTPUT_CHARS: of what a command of the person prints the last 100,000 characters are kept", async () => {
  const { signal } = new AbortController();
  const command = "head -c 300000 /dev/zero | tr '\\0' a; echo end";
  const { output, code } = await runOwn(command, { env: process.env, cwd: folder(), signal });
  expect([output.length, output.endsWith("aend\n"), code]).toEqual([100_000, true, 0]);
});

test("programs/MAX_IMAGE_BYTES: a picture of the clipboard beyond 25 MB is none", async () => {
  const directory = folder();
  writeFileSync(join(directory, "wl-paste"), "#!/bin/sh\nhead -c 25000001 /dev/zero\n");
  chmodSync(join(directory, "wl-paste"), 0o755);
  expect(await clipboardImage({ PATH: `${directory}${delimiter}/usr/bin${delimiter}/bin` })).toBeUndefined();
});

test("images/MAX_PASTED_BYTES: a picture beyond 25 MB whose path is pasted is text", () => {
  const path = join(folder(), "large.png");
  writeFileSync(path, PNG, "latin1");
  const pasted = (): string | undefined => pastedImage(`\u001b[200~${path}\u001b[201~`)?.name;
  expect(pasted()).toBe("large.png");
  truncateSync(path, 25_000_001);
  expect(pasted()).toBeUndefined();
});
