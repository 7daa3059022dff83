// Tools of MCP servers in conversations of others than the owner: where the server is for who reads there, and nowhere else.
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { approveNew, ECHO, fakeServer } from "../mcp/support.ts";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const people = { eva: { ids: ["webhook:eva"] }, bob: { ids: ["webhook:bob"] } };
const TOOL = "mcp_any_echo";

async function house(readers: readonly string[] | undefined): Promise<Running> {
  const { config } = fakeServer({ tools: [ECHO] });
  const any: JsonObject = { ...config, ...(readers !== undefined && { for: [...readers] }) };
  const groups = { trip: { groups: "all", allowFrom: ["*"] } };
  const place = await running(
    { operators: ["ada"], allowFrom: ["ann"], chats: groups },
    { config: { people, mcpServers: { any } }, rules: "off" },
  );
  await write(place, "ada", "hi"); // the servers connect with the first turn
  await approveNew(place.app);
  return place;
}

let serial = 0;
/** The tools that it was asked with. */
async function write({ app, model, port }: Running, sender: string, text: string, more: object = {}) {
  const before = model.requests.length;
  await postSigned(port, { id: `s${++serial}`, chat: sender, sender, text, private: !("group" in more), ...more });
  await app.agent.idle();
  const bodies = model.requests.slice(before).map(({ body }) => body as { tools?: { function: { name: string } }[] });
  return {
    seen: JSON.stringify(bodies),
    tools: bodies.flatMap(({ tools = [] }) => tools.map((one) => one.function.name)),
  };
}

test.for([
  [undefined, ["ada"]],
  [["eva"], ["eva"]],
  [
    ["owner", "eva"],
    ["ada", "eva"],
  ],
  [["household"], ["ada", "eva", "bob"]],
  [["group"], ["trip"]],
  [["public"], ["ada", "eva", "bob", "ann", "trip"]],
] as const)(
  "PE26 a server for %j is offered to %j alone, and what is not offered cannot be called",
  async ([readers, expected]) => {
    const place = await house(readers);
    const has: string[] = [];
    for (const who of ["ada", "eva", "bob", "ann", "trip"]) {
      place.model.replies(callsTool(TOOL, { text: "SAID" }), says("done"));
      const { tools, seen } = await write(
        place,
        who === "trip" ? "ann" : who,
        "say it",
        who === "trip" ? { chat: "trip", group: true, addressed: "named" } : {},
      );
      const isOffered = tools.includes(TOOL);
      expect(seen.includes("unknown tool")).toBe(!isOffered);
      if (isOffered) has.push(who);
    }
    expect(has).toEqual(expected);
  },
);

test("PE26 who writes first after a start has the tools, whoever it is; who has none waits for no server", async () => {
  let place = await house(["eva"]);
  place = await startedAgain(place);
  expect((await write(place, "eva", "hi")).tools).toContain(TOOL);
  place = await startedAgain(place);
  await write(place, "bob", "hi");
  expect(place.app.inside.mcp?.status()).toMatchObject([{ name: "any", tools: 0 }]);
});

test("PE26 who a server is for holds from the next turn on, in both ways", async () => {
  const place = await house(["eva"]);
  expect((await write(place, "eva", "hi")).tools).toContain(TOOL);
  const change = (readers: readonly string[]): void => {
    const { config } = place.app.inside.loaded();
    const any = { ...config.mcpServers["any"]!, for: readers };
    place.app.configure({ ...place.app.loaded, config: { ...config, mcpServers: { any } } });
  };
  change(["bob"]);
  expect((await write(place, "eva", "hi")).tools).not.toContain(TOOL);
  expect((await write(place, "bob", "hi")).tools).toContain(TOOL);
  change(["owner"]);
  expect((await write(place, "bob", "hi")).tools).not.toContain(TOOL);
});
