import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { faultText } from "../../src/config/faults.ts";
import { appendLog, patientLog } from "../../src/config/log-file.ts";
import { translator } from "../../src/texts/translate.ts";

test("log-file/MAX_BYTES: a log of 10 MB goes on, a longer one is put aside", () => {
  const folder = mkdtempSync(join(tmpdir(), "margay-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "log");
  writeFileSync(path, "");
  truncateSync(path, 10 * 1024 * 1024);
  appendLog(path, "x");
  expect(existsSync(`${path}.1`)).toBe(false);
  appendLog(path, "new\n"); // it has a byte more now
  expect([existsSync(`${path}.1`), readFileSync(path, "utf8")]).toEqual([true, "new\n"]);
});

test("log-file/MAX_KEPT: a thousand lines wait for a disk that takes none, of one more the oldest goes", () => {
  const waitingAfter = (lines: number): string => {
    const disk = { isFull: true, text: "" };
    const log = patientLog(
      (text) => {
        if (disk.isFull) throw new Error("ENOSPC");
        disk.text += text;
      },
      () => {},
    );
    for (let n = 0; n < lines - 1; n++) log(`${n} `);
    disk.isFull = false;
    log("last");
    return disk.text;
  };
  expect(waitingAfter(1000)).toMatch(/^0 1 .* 998 last$/);
  expect(waitingAfter(1001)).toMatch(/^1 2 .* 999 last$/);
});

test("faults/MAX_VALUE_CHARS: 80 characters of a wrong value are quoted", () => {
  const quoted = (chars: number): string | undefined => {
    const value = "v".repeat(chars - 2); // its quotation marks are characters too
    return /"v.*/.exec(faultText({ path: "model", problem: "type", value }, translator("en")))?.[0];
  };
  expect(quoted(80)).toContain(`"${"v".repeat(78)}"`);
  expect(quoted(81)).toContain(`"${"v".repeat(79)}…`);
});
