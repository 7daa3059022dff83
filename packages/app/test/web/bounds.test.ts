// What of the pages runs without a browser: each bound at n, and at one more.
import { expect, onTestFinished, test } from "vitest";
import { startRecorder } from "../../src/web/lib/recorder.ts";
import { createParser } from "../../src/web/markdown/parser.ts";
import { findIn } from "../../src/features/explain/page/prompt-parts.ts";

test("parser/MAX_FORMULA_CHARS: a formula of 2,000 characters with its marks is one, a longer one stays text", () => {
  const parse = createParser();
  const found = (source: string): boolean =>
    parse(source, {}).some(
      ({ type, children }) => type === "math_block" || children?.some((c) => c.type === "math_inline"),
    );
  const inline = (chars: number): string => `So $${"x".repeat(chars - 2)}$ it is`;
  expect([found(inline(2000)), found(inline(2001))]).toEqual([true, false]);
  const line = (chars: number): string => `\\[${"x".repeat(chars - 4)}\\]`;
  expect([found(line(2000)), found(line(2001))]).toEqual([true, false]);
  const lines = (chars: number): string => `\\[\nx\n${"x".repeat(chars - 7)}\\]`;
  expect([found(lines(2000)), found(lines(2001))]).toEqual([true, false]);
});

test("prompt-parts/MAX_HITS: 2,000 places are found, in all parts together", () => {
  const found = (system: number, tools: number): readonly number[] =>
    findIn(
      [
        { id: "system", language: "", text: "e ".repeat(system) },
        { id: "tools", language: "json", text: "e ".repeat(tools) },
      ],
      "e",
    ).map((ranges) => ranges.length);
  expect([found(2000, 0), found(2001, 0), found(1999, 2)]).toEqual([
    [2000, 0],
    [2000, 0],
    [1999, 1],
  ]);
});

/** The browser's: it hands over what it is given. */
class FakeRecorder extends EventTarget {
  static isTypeSupported = (): boolean => true;
  static last: FakeRecorder | undefined;
  state = "inactive";
  readonly mimeType = "audio/webm";
  start(): void {
    this.state = "recording";
    FakeRecorder.last = this;
  }
  hands(bytes: number): void {
    this.dispatchEvent(Object.assign(new Event("dataavailable"), { data: new Blob([new Uint8Array(bytes)]) }));
  }
  stop(): void {
    this.state = "inactive";
    this.dispatchEvent(new Event("stop"));
  }
}

test("recorder/MAX_BYTES: 24 MiB are recorded, a byte more ends the recording", async () => {
  const mediaDevices = { getUserMedia: () => Promise.resolve({ getTracks: () => [] }) };
  Object.defineProperty(navigator, "mediaDevices", { value: mediaDevices, configurable: true });
  Object.assign(globalThis, { MediaRecorder: FakeRecorder });
  onTestFinished(() => {
    for (const [place, name] of [
      [navigator, "mediaDevices"],
      [globalThis, "MediaRecorder"],
    ] as const)
      Reflect.deleteProperty(place, name);
  });
  const { ended } = await startRecorder();
  const recorder = FakeRecorder.last;
  recorder?.hands(24 * 1024 * 1024);
  expect(recorder?.state).toBe("recording");
  recorder?.hands(1);
  expect(recorder?.state).toBe("inactive");
  expect((await ended).size).toBe(24 * 1024 * 1024 + 1); // nothing of it is lost
});
