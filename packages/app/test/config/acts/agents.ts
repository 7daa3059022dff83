// Keys of agents, and of where they work.
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Probe, Probes, World } from "./probe.ts";

const BOUND = [{ channel: "cli", agent: "small" }];

async function first({ model, turn }: World): Promise<string> {
  model.replies(says("hello"));
  await turn("hello");
  return JSON.stringify(model.requests.at(-1)?.body);
}

const agent = (key: string, values: Probe["values"], see: Probe["see"], saw: Probe["saw"]): Probes => ({
  [`agents.*.${key}`]: {
    at: `agents.small.${key}`,
    values,
    config: { agents: { small: { tools: ["read_*", "write_file", "use_skill"] } }, bindings: BOUND },
    see,
    saw,
  },
});

const offers = async (world: World, tool: string): Promise<boolean> =>
  (await first(world)).includes(`"name":"${tool}"`);

const person: JsonObject = { agents: { small: { tools: ["read_file"] } }, people: { owner: { ids: [] } } };

export const AGENTS: Probes = {
  ...agent("persona", ["gentle", undefined], async (world) => (await first(world)).includes("Personality"), [
    true,
    false,
  ]),
  ...agent("model", ["mock/small-one", undefined], async (world) => (await first(world)).includes("small-one"), [
    true,
    false,
  ]),
  ...agent("tools", [["read_*"], ["*"]], (world) => offers(world, "list_dir"), [false, true]),
  ...agent("skills", [[], ["*"]], async (world) => (await first(world)).includes("<skills>"), [false, true]),
  ...agent(
    "budget",
    [{ tokensPerDay: 1 }, { tokensPerDay: 1_000_000 }],
    async (world) => {
      world.model.replies(says("hello"));
      await world.turn("hello");
      return world.model.requests.length;
    },
    [0, 1],
  ),
  ...agent(
    "workspace",
    ["own", undefined],
    async (world) => {
      world.model.replies(callsTool("write_file", { path: "note.txt", content: "x" }), says("written"));
      await world.turn("write");
      return existsSync(join(world.home, "spaces", "a-small", "note.txt"));
    },
    [true, false],
  ),
  "agents.*.for": {
    at: "agents.small.for",
    values: [["owner"], ["eva"]],
    config: { agents: { small: { tools: ["read_file"] } }, bindings: BOUND, people: { eva: { role: "member" } } },
    see: (world) => offers(world, "list_dir"),
    saw: [false, true],
  },
  bindings: {
    values: [BOUND, []],
    config: { agents: { small: { tools: ["read_file"] } } },
    see: (world) => offers(world, "list_dir"),
    saw: [false, true],
  },
  "people.*.agent": {
    at: "people.owner.agent",
    values: ["small", "main"],
    config: person,
    see: (world) => offers(world, "list_dir"),
    saw: [false, true],
  },
};
