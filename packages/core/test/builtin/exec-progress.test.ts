import { expect, test } from "vitest";
import { createProgress } from "../../src/builtin/exec/progress.ts";
import { fakeClock } from "../../src/testing.ts";

test("R109 EX13 progress/MAX_PIECE_CHARS what a command prints is shown once, the newer of what waits, and nothing after its end", async () => {
  const clock = fakeClock();
  const shown: string[] = [];
  const progress = createProgress({ clock, progress: (text) => void shown.push(text) });
  progress.add("one ");
  progress.add("two ");
  progress.add("three ");
  expect(shown).toEqual(["one "]);
  await clock.advance(100);
  expect(shown).toEqual(["one ", "two three "]);
  await clock.advance(1000);
  progress.add("four ");
  progress.add("x".repeat(4001));
  progress.end();
  progress.add("late");
  await clock.advance(1000);
  expect(shown.slice(2)).toEqual(["four ", "x".repeat(4000)]);
});
