// A voice note and its answer under kills: before or after any commit.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalRecord } from "../../../src/index.ts";
import { openBlobs } from "../../../src/journal/blobs.ts";
import { keptRecords, live, mortalWorld, type Life, type MortalWorld } from "../../support/dying.ts";
import { scripted } from "../../support/scripted-provider.ts";
import { note, testVoice, type TestVoice } from "./support.ts";

interface Story {
  readonly world: MortalWorld;
  readonly life: Life;
  readonly voice: TestVoice;
  /** Texts and sounds as the platform got them, by their key. */
  readonly sent: [reply: string, what: string][];
}

for (const when of ["before", "after"] as const)
  test(`CH78 CH78a CH51 killed ${when} each commit: what is in the journal is not paid for again, the text once and the voice once on a platform that can tell`, async () => {
    for (let commit = 1; ; commit += 1) {
      const story = await begin();
      const { world, life } = story;
      if (!(await live(world, life, { commit, when }))) break;
      const kept = await keptRecords(world.journals, world.clock, "chat:1");
      const { heard, spoken } = story.voice;
      const before = [heard.length, spoken.length] as const;
      await live(world, life);
      await check(story, `${when} ${commit}`);
      // What is in the journal is never asked for again: neither what was heard, nor what is to be.
      const asked = [heard.length - before[0], spoken.length - before[1]];
      expect(asked, `${when} ${commit}`).toEqual([kept.some(isTranscript) ? 0 : 1, kept.some(hasSound) ? 0 : 1]);
    }
  });

async function check({ world, voice, sent }: Story, label: string): Promise<void> {
  const records = await keptRecords(world.journals, world.clock, "chat:1");
  expect(records.filter(isTranscript), label).toMatchObject([{ text: "[voice note] hello" }]);
  expect(records.filter(({ type }) => type === "reply.delivered").length, label).toBe(1);
  expect(new Set(voice.spoken), label).toEqual(new Set(["hello."]));
  expect(records.filter(({ type }) => type === "usage.counted").length, label).toBe(1);
  const shown = new Map(sent);
  expect([...shown.values()], label).toEqual(["hello", "<audio/ogg>"]);
  // The text leaves before the voice, whenever it died.
  expect(
    sent.findIndex(([, what]) => what === "hello"),
    label,
  ).toBe(0);
}

function isTranscript({ type }: { readonly type: string }): boolean {
  return type === "voice.transcribed";
}

function hasSound(record: JournalRecord): boolean {
  return record.type === "reply.sending" && record.sound !== undefined;
}

async function begin(): Promise<Story> {
  const world = mortalWorld();
  const sent: Story["sent"] = [];
  const blobs = openBlobs(join(world.home, "blobs"));
  const voice = testVoice({ transcribe: () => "hello", speak: (text) => text });
  const life: Life = {
    provider: scripted("test", "hello"),
    text: "",
    media: [await note(blobs, "x")],
    blobs,
    voice,
    can: { once: "key", media: { maxBytes: 1000 }, voice: ["audio/ogg"] },
    tools: () => [],
    sent: ({ reply, parts }) =>
      void sent.push([reply, parts.map((part) => (part.type === "text" ? part.text : `<${part.mediaType}>`)).join()]),
  };
  return { world, life, voice, sent };
}
