// What the configuration gives a role beside the table: commands, in the person's own folder and nowhere else.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running } from "./running.ts";
import { postSigned } from "./support.ts";

const people = { eva: { ids: ["webhook:eva"] }, bob: { ids: ["webhook:bob"], role: "operator" } };
const git = { name: "CANARY-NAME", email: "canary@example.org" };

async function house(roles: JsonObject, exec: JsonObject = {}): Promise<Running> {
  const place = await running(
    { operators: ["ada"], allowFrom: ["ann"], chats: { trip: { groups: "all", allowFrom: ["*"] } } },
    { config: { people, roles, tools: { exec: { git, ...exec } } }, files: { "USER.md": "CANARY-USER" }, rules: "off" },
  );
  mkdirSync(spaceOf(place), { recursive: true });
  writeFileSync(join(spaceOf(place), "list.txt"), "EVA-LIST milk\n");
  return place;
}

function spaceOf({ place: { home } }: Running): string {
  return join(home, "spaces", "p-eva");
}

let serial = 0;
interface Said {
  readonly tools: readonly string[];
  /** The last request. */
  readonly seen: string;
}

async function write({ app, model, port }: Running, sender: string, more: object = {}): Promise<Said> {
  const before = model.requests.length;
  await postSigned(port, {
    id: `r${++serial}`,
    chat: sender,
    sender,
    text: "do it",
    private: !("group" in more),
    ...more,
  });
  await app.agent.idle();
  const bodies = model.requests.slice(before).map(({ body }) => body as { tools?: { function: { name: string } }[] });
  return {
    tools: bodies[0]?.tools?.map((one) => one.function.name) ?? [],
    seen: JSON.stringify(bodies.at(-1)),
  };
}

async function runs(place: Running, sender: string, command: string, more: object = {}): Promise<Said> {
  place.model.replies(callsTool("exec", { command }), says("done"));
  return write(place, sender, more);
}

const GROUP = { chat: "trip", group: true, addressed: "named" };

test.for([
  [{}, []],
  [{ member: { tools: ["exec"] } }, ["eva"]],
  [{ operator: { tools: ["exec"] } }, ["bob"]],
  [{ member: { tools: ["exec"] }, operator: { tools: ["exec"] } }, ["eva", "bob"]],
] as const)(
  "PE9 with roles %j commands are offered beside the owner to %j alone, and run nowhere else",
  async ([roles, expected]) => {
    const place = await house(roles as JsonObject);
    const has: string[] = [];
    for (const who of ["ada", "eva", "bob", "ann", "trip"]) {
      const { tools, seen } = await runs(
        place,
        who === "trip" ? "ann" : who,
        "echo said-$((6*7))",
        who === "trip" ? GROUP : {},
      );
      const ran = seen.includes("said-42");
      expect(tools.includes("exec")).toBe(ran);
      if (ran) has.push(who);
    }
    expect(has).toEqual(["ada", ...expected]);
  },
);

test("PE9 PE23 a member's command sees their folder, and of the owner neither files nor name", async () => {
  const place = await house({ member: { tools: ["exec"] } });
  const { seen } = await runs(
    place,
    "eva",
    `pwd; cat list.txt; echo made > own.txt; cat ../../config.json ../../workspace/USER.md ${place.place.home}/config.json; ls ../..; git config user.email; cat "$GIT_CONFIG_GLOBAL"; git init -q . ; cat "$GIT_CONFIG_GLOBAL"`,
  );
  expect(seen).toContain("EVA-LIST milk");
  expect(seen).toContain("margay@localhost");
  expect(readFileSync(join(spaceOf(place), "own.txt"), "utf8")).toBe("made\n");
  expect(seen).not.toMatch(/CANARY|canary@/);
  expect(seen).not.toContain("webhook-secret-of-this-test");
  // The owner's are made in the owner's name as before.
  expect((await runs(place, "ada", "git config user.email")).seen).toContain("canary@example.org");
});

test("PE9 what a member has remembered while a command of theirs reads a stranger's file stays their own word", async () => {
  const place = await house({ member: { tools: ["exec"] } });
  const { model, app } = place;
  mkdirSync(join(spaceOf(place), "inbox"), { recursive: true });
  writeFileSync(join(spaceOf(place), "inbox", "mail.txt"), "from outside");
  const isOfCommand = ({ body }: { readonly body: unknown }): boolean => JSON.stringify(body).includes("run it");
  const wait = "cat inbox/mail.txt; while [ ! -e go ]; do sleep 0.05; done; echo x > copied.txt";
  model.route(isOfCommand, callsTool("exec", { command: wait, timeout: 30 }), says("done"));
  model.replies(
    callsTool("remember", { text: "EVA tea" }),
    callsTool("write_file", { path: "go", content: "" }),
    says("done"),
  );
  await postSigned(place.port, { id: "c1", chat: "eva", sender: "eva", text: "run it", private: true });
  await model.received(1);
  await write(place, "eva", { chat: "eva-2" });
  const integrity = async (path: string, chat: string): Promise<string | undefined> => {
    model.replies(callsTool("read_file", { path }), says("done"));
    await write(place, "eva", { chat });
    return (await app.agent.sessions.find(`webhook:${chat}`))?.state.label.integrity;
  };
  expect(await integrity("memory/MEMORY.md", "eva-3")).toBe("trusted");
  expect(await integrity("copied.txt", "eva-5")).toBe("untrusted");
});

test("PE6 PE9 a role that lost its commands in the middle of a turn has none at its next call", async () => {
  const place = await house({ member: { tools: ["exec"] } });
  place.model.route(({ body }) => JSON.stringify(body).includes("tool_call_id"), says("done"));
  place.model.replies(() => {
    const { config } = place.app.inside.loaded();
    place.app.configure({
      ...place.app.loaded,
      config: { ...config, roles: { member: { tools: [] }, operator: { tools: [] } } },
    });
    return callsTool("exec", { command: "touch made" });
  });
  const { seen } = await write(place, "eva");
  expect(seen).toContain("unknown tool");
  expect(existsSync(join(spaceOf(place), "made"))).toBe(false);
});

test("PE9 where nothing confines commands nobody beside the owner has any", async () => {
  const place = await house({ member: { tools: ["exec"] } }, { sandbox: "none" });
  expect((await runs(place, "eva", "echo said-$((6*7))")).tools).not.toContain("exec");
});
