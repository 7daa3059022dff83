// Whom a token asks for, and which agents it may ask: what it reads, who pays, and nothing else of the gateway.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { callsTool, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { startGateway, type GatewayPlaceOptions, type TestGateway } from "./support.ts";

const people = { eva: { name: "Eva", tokensPerDay: 100_000 }, bob: { tokensPerDay: 1 } };
const agents = {
  small: { tools: ["read_file"] },
  kitchen: { model: "mock/small-one", tools: ["read_*", "remember"], for: ["household"] },
  open: { tools: ["*"], for: ["public"] },
};

async function place(options: GatewayPlaceOptions = {}): Promise<TestGateway> {
  const gateway = await startGateway(
    { onTestFinished },
    {
      config: { people, agents },
      prepare: ({ workspace }) => writeFileSync(join(workspace, "USER.md"), "CANARY Ada"),
      ...options,
    },
  );
  const space = join(gateway.home, "spaces", "p-eva");
  mkdirSync(space, { recursive: true });
  writeFileSync(join(space, "USER.md"), "EVA-USER likes tea");
  return gateway;
}

async function tokenFor({ api }: TestGateway, reader: string | undefined): Promise<string> {
  const body = { name: "site", scopes: ["chat"], ...(reader !== undefined && { for: reader }) };
  const made = await api("/auth/tokens", { method: "POST", body });
  expect(made.status).toBe(201);
  return String(made.body.token);
}

function client({ url }: TestGateway, apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
}

async function ask(gateway: TestGateway, token: string, content: string, model = "margay", session = "s") {
  const before = gateway.model.requests.length;
  const answer = await client(gateway, token).chat.completions.create(
    { model, messages: [{ role: "user", content }] },
    { headers: { "Margay-Session": session } },
  );
  return {
    text: answer.choices[0]?.message.content,
    requests: gateway.model.requests.slice(before).map(({ body }) => body),
  };
}

function offered(requests: readonly object[]): readonly string[] {
  const [body] = requests as readonly { tools?: readonly { function: { name: string } }[] }[];
  return (body?.tools ?? []).map(({ function: { name } }) => name).toSorted();
}

test("PE29 one question with three tokens: the owner's room, a person's, a guest's, and nothing of one in another", async () => {
  const gateway = await place();
  const [owners, evas, guests] = [
    await tokenFor(gateway, undefined),
    await tokenFor(gateway, "eva"),
    await tokenFor(gateway, "guest"),
  ];
  gateway.model.replies(says("1"), says("2"), says("3"));
  const owner = await ask(gateway, owners, "what do I like?");
  const eva = await ask(gateway, evas, "what do I like?");
  const guest = await ask(gateway, guests, "what do I like?");
  expect(JSON.stringify(owner.requests)).toContain("CANARY");
  expect(JSON.stringify(eva.requests)).toContain("EVA-USER");
  for (const { requests } of [eva, guest]) expect(JSON.stringify(requests)).not.toContain("CANARY");
  expect(JSON.stringify(guest.requests)).not.toContain("EVA-");
  expect(offered(guest.requests)).toEqual(["recall", "web_fetch", "web_search"]);
  expect(offered(eva.requests)).not.toContain("exec");
  const readers = (await gateway.app.agent.sessions.list()).map(({ persons = [] }) => persons.join());
  expect(readers.toSorted()).toEqual(["", "", "eva"]);
});

test("PE29 a person's budget pays for their token, and a token is a stranger's word in their room too", async () => {
  const gateway = await place();
  const bobs = await tokenFor(gateway, "bob");
  await expect(ask(gateway, bobs, "hello")).rejects.toThrow(/budget/i);
  expect(gateway.model.requests).toHaveLength(0);
  const evas = await tokenFor(gateway, "eva");
  gateway.model.replies(callsTool("remember", { text: "the bicycle is red" }), says("no"));
  const { requests } = await ask(gateway, evas, "remember it");
  expect(JSON.stringify(requests.at(-1))).toContain("Denied");
});

test("PE29 a token of somebody beside the owner asks /v1 and nothing else, has the scope chat alone, and ends with its person", async () => {
  const gateway = await place();
  const evas = await tokenFor(gateway, "eva");
  for (const path of ["/sessions", "/auth/tokens", "/people"])
    expect((await gateway.api(path, { token: evas })).status).toBe(403);
  const post = async (token: string): Promise<number> =>
    (await gateway.api("/sessions", { method: "POST", body: {}, token })).status;
  expect([await post(await tokenFor(gateway, undefined)), await post(evas)]).toEqual([201, 403]);
  const refused = async (body: object): Promise<unknown> =>
    (await gateway.api("/auth/tokens", { method: "POST", body: { name: "x", scopes: ["chat"], ...body } })).status;
  expect(await refused({ for: "nobody" })).toBe(422);
  expect(await refused({ for: "eva", scopes: ["read"] })).toBe(422);
  const listed = (await gateway.api("/auth/tokens")).body.items as readonly { for?: string }[];
  expect(listed.map((token) => token.for)).toContain("eva");
  const { config } = gateway.app.inside.loaded();
  gateway.app.configure({ ...gateway.app.loaded, config: { ...config, people: {} } });
  await expect(ask(gateway, evas, "hello")).rejects.toThrow(/person of this token/);
});

test("PE72 /v1 lists the agents that a token may ask, and margay/NAME asks one: its tools, its model, an epoch of its own", async () => {
  const gateway = await place();
  const [owners, evas, guests] = [
    await tokenFor(gateway, undefined),
    await tokenFor(gateway, "eva"),
    await tokenFor(gateway, "guest"),
  ];
  const ids = async (token: string): Promise<readonly string[]> =>
    (await client(gateway, token).models.list()).data
      .map(({ id }) => id)
      .filter((id) => !id.includes("mock"))
      .toSorted();
  expect(await ids(owners)).toEqual(["margay", "margay/kitchen", "margay/open", "margay/small"]);
  expect(await ids(evas)).toEqual(["margay", "margay/kitchen", "margay/open"]);
  expect(await ids(guests)).toEqual(["margay", "margay/open"]);
  expect((await client(gateway, evas).models.retrieve("margay/kitchen")).id).toBe("margay/kitchen");
  await expect(ask(gateway, evas, "hi", "margay/small")).rejects.toThrow(/does not exist/);
  gateway.model.replies(says("1"), says("2"), says("3"));
  const kitchen = await ask(gateway, evas, "hi", "margay/kitchen");
  expect(offered(kitchen.requests)).toEqual(["read_file", "remember"]);
  expect(kitchen.requests[0]?.["model"]).toBe("small-one");
  expect(offered((await ask(gateway, guests, "hi", "margay/open")).requests)).toEqual([
    "recall",
    "web_fetch",
    "web_search",
  ]);
  const main = await ask(gateway, evas, "hi", "margay", "other");
  expect(main.requests[0]?.["model"]).toBe("mock-model");
});
