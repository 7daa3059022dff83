import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  channelShelf,
  type ChannelShelf,
  claimChannelFolder,
  openChannelFolder,
  removeChannelFolder,
} from "../../src/channels/state.ts";
import { memoryDocs } from "../../src/testing/memory-docs.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "channel-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "mail");
}

function shelfAt(folder: string): ChannelShelf {
  return channelShelf(dirname(folder), basename(folder));
}

const clock = fakeClock();

test("CH61 cursor and values are there after a restart, private, and gone with the channel", async () => {
  const folder = temporary();
  const first = openChannelFolder(shelfAt(folder), clock);
  expect(first.cursor()).toBeUndefined();
  await first.setCursor({ uid: 7 });
  await first.setValue("kept-1", ["a"]);
  await first.setValue("kept-2", "b");
  await first.setValue("kept-2", undefined);
  const second = openChannelFolder(shelfAt(folder), clock);
  expect(second.cursor()).toEqual({ uid: 7 });
  expect([second.value("kept-1"), second.value("kept-2")]).toEqual([["a"], undefined]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, "cursor.json")).mode & 0o777).toBe(0o600);
  await removeChannelFolder(shelfAt(folder));
  expect(openChannelFolder(shelfAt(folder), clock).cursor()).toBeUndefined();
});

test("CH61 another account finds nothing of the one before, and the same one all", async () => {
  const folder = temporary();
  await claimChannelFolder(shelfAt(folder), "first");
  const state = openChannelFolder(shelfAt(folder), clock);
  await state.setCursor(7);
  await state.setValue("a", 1);
  await claimChannelFolder(shelfAt(folder), "first");
  expect([state.cursor(), state.value("a")]).toEqual([7, 1]);
  await claimChannelFolder(shelfAt(folder), "second");
  expect([state.cursor(), state.value("a")]).toEqual([undefined, undefined]);
});

test("CH61 a damaged cursor is told, a damaged value is as if it was not there; a name that leads elsewhere is refused", async () => {
  const folder = temporary();
  mkdirSync(join(folder, "values"), { recursive: true });
  for (const name of ["cursor.json", "values/a.json"]) writeFileSync(join(folder, name), '{"uid": ');
  const state = openChannelFolder(shelfAt(folder), clock);
  expect(() => state.cursor()).toThrow("cursor.json is damaged");
  expect(state.value("a")).toBeUndefined();
  expect(() => state.value("../../config")).toThrow("is no name");
  await expect(state.setValue("a/b", 1)).rejects.toThrow("is no name");
});

test("CH61 state/MAX_VALUE_BYTES: 64 KiB are kept in one value, a byte more is refused", async () => {
  const state = openChannelFolder(shelfAt(temporary()), clock);
  await state.setValue("a", "x".repeat(65_534)); // and its quotes
  await expect(state.setValue("a", "x".repeat(65_535))).rejects.toThrow("64 KiB");
  expect(String(state.value("a")).length).toBe(65_534);
});

test("CH61 what was set long ago is forgotten, of one prefix alone", async () => {
  const state = openChannelFolder(shelfAt(temporary()), clock);
  await state.setValue("id-1", 1);
  await state.setValue("kept-1", 1);
  expect(await state.forget("id-", 0)).toBe(0);
  expect(await state.forget("id-", Date.now() + 10_000)).toBe(1);
  expect([state.value("id-1"), state.value("kept-1")]).toEqual([undefined, 1]);
});

test("CH28 state/MAX_DEAD state/MAX_FRAME_BYTES: frames that nobody could read are kept, bounded in size, number and time", async () => {
  const folder = temporary();
  const state = openChannelFolder(shelfAt(folder), clock);
  state.deadLetter("y".repeat(70_000));
  const [name = ""] = readdirSync(join(folder, "dead"));
  expect(statSync(join(folder, "dead", name)).size).toBe(65_536);
  for (let n = 0; n < 1005; n++) state.deadLetter("x");
  expect(state.deadLetters()).toBe(1000);
  await clock.advance(31 * 86_400_000);
  state.deadLetter("x");
  expect(state.deadLetters()).toBe(1);
});

test("CH61 SO18 what a channel keeps is a document of the home's store: with another account all of it is gone there too", async () => {
  const docs = memoryDocs();
  const shelf = channelShelf(dirname(temporary()), "mail", docs);
  await claimChannelFolder(shelf, "first");
  const state = openChannelFolder(shelf, clock);
  await state.setCursor(7);
  await state.setValue("a", 1);
  expect(await docs.list("channels/mail/")).toEqual(["channels/mail/account.json", "channels/mail/cursor.json"]);
  expect(await docs.list("channels/mail/values/")).toEqual(["channels/mail/values/a.json"]);
  await claimChannelFolder(shelf, "second");
  expect([state.cursor(), state.value("a"), await docs.list("channels/mail/values/")]).toEqual([
    undefined,
    undefined,
    [],
  ]);
});
