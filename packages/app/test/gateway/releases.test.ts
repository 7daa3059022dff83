// What somebody else would be told, on the pages: the owner answers for themself, and neither reads nor answers for others.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "./support.ts";

const PEOPLE = {
  owner: { ids: ["webhook:ada"], name: "Ada" },
  ...{ eva: { ids: ["webhook:eva"], name: "Eva" }, bob: { ids: ["webhook:bob"], name: "Bob" } },
};

test("PE30 PE91 the page shows the owner what is asked of them, and sends it by their yes; of what is asked of Eva it shows and answers nothing", async () => {
  const gateway = await startGateway(
    { onTestFinished },
    { config: { people: PEOPLE, channels: { webhook: { enabled: true, secret: "s" } } } },
  );
  const { app, model, api } = gateway;
  const { agent } = app;
  let key = 0;
  const writes = async (id: string, text: string): Promise<void> => {
    const from = { id, kind: "person" } as const;
    const origin = { channel: "webhook", chat: id };
    await agent.bus.accept({ key: `${++key}`, origin, from, parts: [{ type: "text", text }], chat: "private" });
    await agent.idle();
  };
  const releases = async (chat: string) => (await agent.sessions.find(`webhook:${chat}`))?.state.releases ?? [];
  for (const id of ["ada", "eva", "bob"]) await writes(id, "hi");
  for (const [id, to] of [
    ["ada", "eva"],
    ["eva", "bob"],
  ] as const) {
    model.replies(callsTool("message", { channel: "webhook", chat_id: to, content: "ADA-SECRET" }), says("did it"));
    await writes(id, `tell ${to}`);
  }
  const [ofEva] = await releases("eva");
  const waiting = async (): Promise<string> => JSON.stringify((await api("/approvals")).body);
  expect(await waiting()).not.toContain("ADA-SECRET");
  const { id: eva = "" } = (await agent.sessions.find("webhook:eva"))?.state ?? {};
  const answer = async (session: string, call: string, hash: string) =>
    api(`/sessions/${session}/approvals/${call}`, { method: "POST", body: { verdict: "allow", hash } });
  const refused = await answer(eva, ofEva?.id ?? "", ofEva?.hash ?? "");
  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).not.toContain("ADA-SECRET");
  expect((await releases("eva"))[0]).not.toHaveProperty("verdict");
  // Eva lets it go herself; then it is the owner's word.
  await writes("eva", `/allow ${ofEva?.code ?? ""}`);
  const { body } = await api("/approvals");
  expect(body.items).toMatchObject([{ tool: "release", display: "ADA-SECRET", choices: ["once", "always"] }]);
  const [{ session, call, hash }] = body.items;
  expect((await answer(String(session), String(call), String(hash))).body).toMatchObject({
    resolved: { verdict: "allow", by: "user" },
  });
  await agent.idle();
  expect((await agent.sessions.find("webhook:bob"))?.state.label.readers).toContainEqual({
    to: ["bob", "eva", "owner"],
    by: "owner",
  });
  expect((await api("/approvals")).body.items).toEqual([]);
  expect(JSON.stringify((await api("/approvals?state=settled")).body)).toContain("ADA-SECRET");
});

test("PE45 PE96 the page offers always for what the owner is asked, shows from what, and takes it with the proof that it is them; what is shared is listed and taken back there, and Eva's is not", async () => {
  const gateway = await startGateway(
    { onTestFinished },
    { config: { people: PEOPLE, channels: { webhook: { enabled: true, secret: "s" } } } },
  );
  const { app, model, api, home, workspace } = gateway;
  const { agent } = app;
  let key = 0;
  const writes = async (id: string, text: string): Promise<void> => {
    const from = { id, kind: "person" } as const;
    const origin = { channel: "webhook", chat: id };
    await agent.bus.accept({ key: `s${++key}`, origin, from, parts: [{ type: "text", text }], chat: "private" });
    await agent.idle();
  };
  mkdirSync(join(workspace, "memory"), { recursive: true });
  writeFileSync(join(workspace, "memory/MEMORY.md"), "- the spare key is with Mia\n");
  const asks = async (answer: string): Promise<void> => {
    await writes("eva", "/new");
    model.replies(
      callsTool("ask_person", { person: "Ada", question: "where is the key?" }),
      callsTool("recall", { query: "key" }),
      says(answer),
      says("I asked"),
    );
    await writes("eva", "ask Ada");
  };
  for (const id of ["ada", "eva"]) await writes(id, "hi");
  await asks("with Mia");
  const waiting = async () => (await api("/approvals")).body.items;
  const [{ session, call, hash }] = await waiting();
  expect(await waiting()).toMatchObject([
    { choices: ["once", "always"], rulePreview: expect.stringContaining("the spare key is with Mia") },
  ]);
  const path = `/sessions/${session}/approvals/${call}`;
  const always = { method: "POST", body: { verdict: "allow", hash, remember: "always" } };
  const refused = await api(path, { ...always, token: gateway.token("admin") });
  expect([refused.status, refused.body.code]).toEqual([403, "auth.scope"]);
  const answer = await api(path, always);
  expect(answer.body).toMatchObject({ resolved: { verdict: "allow", remember: "always" } });
  await asks("it is with Mia");
  expect(await waiting()).toEqual([]);
  const eva = await agent.sessions.find("webhook:eva");
  expect(JSON.stringify(eva?.state.messages)).toContain("Ada answers: it is with Mia");
  const [share] = (await api("/shares")).body;
  expect(share).toMatchObject({ reader: "Eva", shown: expect.stringContaining("the spare key is with Mia") });
  await writes("ada", `/shared remove ${share.id}`);
  await asks("with Mia, still");
  const [again] = await waiting();
  const yes = { verdict: "allow", hash: again.hash, remember: "always" };
  await api(`/sessions/${again.session}/approvals/${again.call}`, { method: "POST", body: yes });
  // What Eva shares is hers: the page shows none of it, and takes none of it back.
  const at = Date.now();
  const ofEva = { ...share, id: "eeee1111eeee1111", of: "eva", reader: "bob", hash: "h", shown: "EVA-SECRET", at };
  const file = join(home, "shares.json");
  const { shares } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ version: 1, shares: [...shares, ofEva] }));
  expect(JSON.stringify((await api("/shares")).body)).not.toContain("EVA-SECRET");
  const end = async (id: string): Promise<number> => (await api(`/shares/${id}`, { method: "DELETE" })).status;
  expect(await end(ofEva.id)).toBe(404);
  expect(await end(share.id)).toBe(204);
  expect((await api("/shares")).body).toEqual([]);
  expect(readFileSync(file, "utf8")).toContain("EVA-SECRET");
});
