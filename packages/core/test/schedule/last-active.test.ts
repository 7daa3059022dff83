import { expect, test } from "vitest";
import type { JournalRecord } from "../../src/contract/record.ts";
import { openSessions } from "../../src/index.ts";
import { createLastActive, openJournalDirectory } from "../../src/internal.ts";
import { fakeClock } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

test("HB5 PE86 once asked, what is written later is known without reading, and a chat that a guest joins counts no more", async () => {
  await using folder = await temporaryFolder();
  const clock = fakeClock();
  let reads = 0;
  const last = createLastActive({
    sessions: () => {
      reads += 1;
      return sessions;
    },
    counts: (_, sender) => sender === "ann",
  });
  await using sessions = openSessions({
    journals: openJournalDirectory(folder.path),
    clock,
    observers: [last.observer],
  });
  const writes = async (chat: string, from: string): Promise<void> => {
    await clock.advance(1000);
    const origin = { channel: "test", chat };
    const session = await sessions.open(`test:${chat}`, origin);
    const key = `${chat}-${from}-${clock.now()}`;
    const record: JournalRecord = {
      type: "message.received",
      key,
      origin,
      attended: true,
      message: { role: "user", id: key, at: clock.now(), from: { id: from, kind: "person" }, parts: [] },
    };
    await session.commit(record);
  };
  await writes("1", "ann");
  expect((await last.find())?.session).toBe("test:1");
  const before = reads;
  await writes("2", "ann");
  await writes("3", "somebody");
  expect(await last.find()).toMatchObject({ session: "test:2", origin: { chat: "2" } });
  expect(reads).toBe(before);
  const second = await sessions.find("test:2");
  await second?.commit({ type: "audience.set", audience: "guest" });
  expect((await last.find())?.session).toBe("test:1");
});
