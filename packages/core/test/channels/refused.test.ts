// What becomes of a message that was refused, on every platform.
import { expect, test } from "vitest";
import { failure, never, temporary, testHost } from "./alone.ts";

const REFUSED = { status: "refused", reason: "The inbox is full" } as const;

test("CH20 what is refused until there is room is offered again, and nobody is told", async () => {
  const host = testHost("test", temporary("refused"));
  const said: string[] = [];
  const say = async (text: string): Promise<void> => void said.push(text);
  const refused = { ...REFUSED, until: "room", answer: "So many wait." } as const;
  expect(
    await failure(host.refused(refused, { chat: "private", where: "at Example", say, signal: never })),
  ).toMatchObject({ kind: "again", message: "The inbox is full. The message waits at Example." });
  expect(said).toEqual([]);
});

test("CH24 what its sender may hear is said in private alone; that it cannot be said ends nothing, and being stopped does", async () => {
  const host = testHost("test", temporary("refused"));
  const said: string[] = [];
  const say = async (text: string): Promise<void> => void said.push(text);
  const refused = { ...REFUSED, answer: "Your code is 1234." };
  for (const chat of ["group", undefined, "private"] as const)
    await host.refused(refused, { chat, where: "at Example", say, signal: never });
  await host.refused(REFUSED, { chat: "private", where: "at Example", say, signal: never });
  expect(said).toEqual(["Your code is 1234."]);
  const fails = (): Promise<never> => Promise.reject(new Error("blocked"));
  await host.refused(refused, { chat: "private", where: "at Example", say: fails, signal: never });
  expect(host.told.events).toEqual([{ event: "channel.answer-failed", data: { channel: "test", message: "blocked" } }]);
  const stopped = AbortSignal.abort(new Error("stop"));
  const stop = host.refused(refused, { chat: "private", where: "at Example", say: fails, signal: stopped });
  expect(await failure(stop)).toBe(stopped.reason);
});
