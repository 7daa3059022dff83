// Keys of what stays in the context.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { stalls, type RecordedRequest } from "@margay/core/internal/testing";
import { happens, lastRequest, type Probes, type World } from "./probe.ts";

/** Consolidations ask before the turn, so that a count of requests is one of consolidations too. */
const FIRST: JsonObject = { memory: { timing: "before-turn" }, agent: { memoryWindow: 4 } };

const consolidations = ({ model }: World): readonly RecordedRequest[] =>
  model.requests.filter((request) => !request.raw.includes('"read_file"'));

async function turns(world: World, count: number, text = "tell me more"): Promise<void> {
  world.model.route(
    (request) => !request.raw.includes('"read_file"'),
    ...Array.from({ length: 9 }, () =>
      callsTool("save_memory", { history_entry: "[2026-03-01 12:00] They talked.", memory_update: "# Facts\n" }),
    ),
  );
  for (let turn = 0; turn < count; turn += 1) await world.turn(`${text} ${turn}`, "cli:long");
}

function remembered(text: string): NonNullable<Probes[string]["place"]> {
  return { prepare: ({ workspace }) => writeFileSync(join(makeMemory(workspace), "MEMORY.md"), text) };
}

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export const MEMORY: Probes = {
  "context.mediaOrder": {
    values: ["media-first", "text-first"],
    see: async (world) => {
      const blob = await world.app.agent.blobs.put(PIXEL);
      const picture = { type: "media" as const, mediaType: "image/png", blob };
      await world.app.agent.send("cli:picture", [{ type: "text", text: "look" }, picture]).finished;
      const { raw } = lastRequest(world);
      return raw.indexOf("image_url") < raw.lastIndexOf("look");
    },
    saw: [true, false],
  },
  "agent.memoryWindow": {
    values: [4, 100],
    config: { memory: { timing: "before-turn", keep: 2 } },
    see: async (world) => {
      await turns(world, 5);
      return consolidations(world).length > 0;
    },
    saw: [true, false],
  },
  "memory.trigger": {
    values: ["reach", "exceed"],
    config: { ...FIRST, memory: { timing: "before-turn", keep: 2 } },
    see: async (world) => {
      await turns(world, 3);
      return consolidations(world).length;
    },
    saw: [1, 0],
  },
  "memory.tokenTrigger": {
    values: [0.1, 1],
    config: { models: { "mock/mock-model": { contextWindow: 32_000 } }, memory: { timing: "before-turn", keep: 2 } },
    see: async (world) => {
      await turns(world, 4, "word ".repeat(1500));
      return consolidations(world).length > 0;
    },
    saw: [true, false],
  },
  "memory.keep": {
    values: [2, 6],
    config: { agent: { memoryWindow: 8 }, memory: { timing: "before-turn" } },
    see: async (world) => {
      await turns(world, 5);
      // Four turns were eight rows: what is kept is not asked about.
      const asked = consolidations(world)[0]?.raw ?? "";
      return [0, 1, 2, 3].filter((turn) => asked.includes(`tell me more ${turn}`));
    },
    saw: [[0, 1, 2], [0]],
  },
  "memory.format": {
    values: ["tool", "json"],
    config: { ...FIRST, memory: { timing: "before-turn", keep: 2 } },
    see: async (world) => {
      await turns(world, 4);
      return consolidations(world)[0]?.raw.includes("save_memory");
    },
    saw: [true, false],
  },
  "memory.model": {
    values: [null, "mock/small"],
    config: { ...FIRST, memory: { timing: "before-turn", keep: 2 } },
    see: async (world) => {
      await turns(world, 4);
      return consolidations(world)[0]?.body["model"];
    },
    saw: ["mock-model", "small"],
  },
  "memory.inject": {
    values: [true, false],
    place: remembered("Lives in Oslo.\n"),
    see: async (world) => {
      await world.turn("hi");
      return lastRequest(world).raw.includes("Lives in Oslo.");
    },
    saw: [true, false],
  },
  "memory.maxChars": {
    values: [500, 2000],
    place: remembered(`${"o".repeat(400)}\n${"p".repeat(400)}\n${"q".repeat(400)}\n`),
    see: async (world) => {
      await world.turn("hi");
      return ["oooo", "qqqq"].map((text) => lastRequest(world).raw.includes(text));
    },
    saw: [
      [true, false],
      [true, true],
    ],
  },
  "memory.timing": {
    values: ["before-turn", "background"],
    config: { agent: { memoryWindow: 4 }, memory: { keep: 2 } },
    see: async (world) => {
      const held = stalls({ rest: says("[12:00] They talked.") });
      world.model.route((request) => !request.raw.includes('"read_file"'), held);
      await world.turn("one", "cli:long");
      await world.turn("two", "cli:long");
      const third = world.turn("three", "cli:long");
      const beside = await happens(third);
      held.release();
      await third;
      return beside;
    },
    saw: [false, true],
  },
  "memory.tokenTarget": {
    values: [0.1, 0.7],
    config: { models: { "mock/mock-model": { contextWindow: 32_000 } }, agent: { maxTokens: 1000 } },
    see: async (world) => {
      await turns(world, 6, "word ".repeat(4000));
      return lastRequest(world).texts("user").length < 7;
    },
    saw: [true, false],
  },
  "sessions.toolResultChars": {
    values: [100, 400],
    place: { prepare: ({ workspace }) => writeFileSync(join(workspace, "long.txt"), "z".repeat(1000)) },
    see: async (world) => {
      world.model.replies(callsTool("read_file", { path: "long.txt" }), says("read"));
      await world.turn("read it", "cli:transcript");
      await world.stop();
      const folder = join(world.home, "sessions");
      const text = readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join("");
      return Math.max(...[...text.matchAll(/z+/g)].map(([found]) => found.length)) > 200;
    },
    saw: [false, true],
  },
};

function makeMemory(workspace: string): string {
  const directory = join(workspace, "memory");
  mkdirSync(directory);
  return directory;
}
