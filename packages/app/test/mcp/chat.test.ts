// `/mcp` in a chat: an operator looks at what a server says of itself, and says yes or no to exactly that (SC45).
import { randomUUID } from "node:crypto";
import type { Address, JsonObject, Sender } from "@margay/core";
import { says } from "@margay/core/testing";
import { expect, test, type TestContext } from "vitest";
import { startGateway, type TestGateway } from "../gateway/support.ts";
import { ECHO, fakeServer, type FakeServer } from "./support.ts";

const ORIGIN: Address = { channel: "cli", chat: "direct" };
const PERSON: Sender = { id: "user", kind: "person" };

interface Chat extends TestGateway {
  readonly fake: FakeServer;
  /** @returns what is answered, as the chat gets it. */
  type(text: string, from?: Sender, origin?: Address): Promise<string>;
  audited(): Promise<readonly unknown[]>;
}

async function chat(t: TestContext, fake: FakeServer, more: JsonObject = {}): Promise<Chat> {
  const gateway = await startGateway(t, {
    config: { mcpServers: { fake: fake.config }, mcp: { connectTimeoutSeconds: 60 }, ...more },
  });
  const { app } = gateway;
  return {
    ...gateway,
    fake,
    type: async (text, from = PERSON, origin = ORIGIN) => {
      const session = await app.agent.sessions.open(`${origin.channel}:${origin.chat}`, origin);
      const answered = Promise.withResolvers<string>();
      const end = session.subscribe((event) => {
        if (event.type !== "reply.queued" || event.kind !== "command") return;
        answered.resolve(event.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
      });
      await app.agent.bus.accept({ key: randomUUID(), origin, from, parts: [{ type: "text", text }] });
      const text_ = await answered.promise;
      end();
      return text_;
    },
    audited: async () =>
      (await app.audit.list({ limit: 100 })).flatMap((entry) =>
        entry.kind === "event" && entry.name.startsWith("mcp.") ? [[entry.name, entry.data]] : [],
      ),
  };
}

const code = (text: string): string => /approve fake ([0-9a-f]{8})`/.exec(text)?.[1] ?? "none";

test("SC45 /mcp lists what waits; approve shows it in fences that it cannot end, and approves by the code that was shown", async (t) => {
  const description = "Says it.\n````\n[click](https://evil.example) \u202E";
  const { type, audited, app, model } = await chat(
    t,
    fakeServer({ tools: [{ ...ECHO, description }], instructions: "Use me." }),
  );
  expect(await type("/mcp")).toBe("- `fake`: not connected yet, 0 tools, waits for review: `/mcp approve fake`");
  const shown = await type("/mcp approve fake");
  expect(shown).toContain("`fake` says this of itself.");
  expect(shown).toContain("Instructions:\n```\nUse me.\n```");
  expect(shown).toContain(
    "`echo` (new, says that it only reads: runs unasked)\n`````\nSays it.\n````\n[click](https://evil.example) \\u{202e}\n`````",
  );
  expect(shown).toContain('parameters:\n```\n{"properties":{"text":{"type":"string"}}');
  expect(await type("/mcp")).toContain("`fake`: suspended, 1 tool, waits for review");
  expect(await type("/mcp approve fake 00000000")).toContain("says this of itself"); // shown again, not approved
  expect(await audited()).toEqual([]);
  expect(await type(`/mcp approve fake ${code(shown)}`)).toBe(
    "`fake` is approved: its tools are offered from the next message on.",
  );
  expect(await audited()).toEqual([
    ["mcp.approved", { server: "fake", hash: expect.any(String), tools: ["echo"], by: "user" }],
  ]);
  expect(await type("/mcp")).toBe("- `fake`: up, 1 tool");
  expect(await type("/mcp approve fake")).toBe("Nothing of `fake` waits for review.");
  model.replies(says("hi"));
  await app.agent.send("cli:direct", "hello").finished;
  // What was shown was for the person: commands and their answers are not the model's.
  expect(JSON.stringify(model.requests.at(-1)?.body["messages"])).not.toContain("Use me.");
  expect(model.requests.at(-1)?.toolNames).toContain("mcp_fake_echo");
});

test("SC45 a yes is for what was shown: what the server says since then waits anew; a no is a record", async (t) => {
  const { type, audited, fake, app } = await chat(t, fakeServer());
  const shown = await type("/mcp approve fake");
  fake.behave({ tools: [{ ...ECHO, description: "Another." }] });
  await app.inside.mcp?.find("fake")?.reconnect();
  expect(await type(`/mcp approve fake ${code(shown)}`)).toBe(
    "What `fake` says is not what was shown any more: `/mcp approve fake` shows it anew.",
  );
  expect(await audited()).toEqual([]);
  const now = await type("/mcp approve fake");
  expect(now).toContain("Another.");
  expect(await type(`/mcp refuse fake ${code(now)}`)).toBe("Not approved. `fake` stays suspended.");
  expect(await audited()).toEqual([["mcp.refused", expect.objectContaining({ server: "fake", by: "user" })]]);
  // Another conversation was shown nothing.
  const elsewhere = await type(`/mcp approve fake ${code(now)}`, PERSON, { channel: "cli", chat: "other" });
  expect(elsewhere).toContain("says this of itself");
});

test("SC45 only an operator sees it or says yes; what is no server, or does not answer, says so", async (t) => {
  const { app, type, audited } = await chat(t, fakeServer({ broken: true }));
  const guest: Sender = { id: "99", kind: "person" };
  const away: Address = { channel: "telegram", chat: "99" };
  const { pairing } = app.inside;
  await pairing.accept((await pairing.offer("telegram", "99")) ?? "");
  for (const text of ["/mcp", "/mcp approve fake", "/mcp approve fake 00000000"])
    expect(await type(text, guest, away)).toBe("Only an operator can do that.");
  const token: Sender = { id: "api:program", kind: "person" };
  expect(await type("/mcp approve fake", token)).toBe("Only an operator can do that.");
  expect(await type("/mcp approve other")).toBe("There is no MCP server `other`. /mcp lists them.");
  expect(await type("/mcp approve fake")).toContain("`fake` does not answer, so there is nothing to look at");
  expect(await type("/mcp remove fake")).toContain("`/mcp` lists the servers");
  expect(await audited()).toEqual([]);
});

test("SC45 server-texts/MAX_CHARS, server-texts/MAX_TOOLS: 600 characters of a text and 20 tools are shown, of more it is said", async (t) => {
  const tools = (count: number): readonly object[] =>
    Array.from({ length: count }, (_, n) => ({ ...ECHO, name: `t${n}`, description: "d".repeat(600 + n) }));
  const { type, fake, app } = await chat(t, fakeServer({ tools: tools(20) as never }));
  const shown = await type("/mcp approve fake");
  expect(shown).toContain(`\n${"d".repeat(600)}\n\`\`\`\n`);
  expect(shown).toContain(`\n${"d".repeat(600)}…\n\`\`\`\n1 more characters are not shown here`);
  expect(shown).not.toContain("more tools");
  fake.behave({ tools: tools(21) as never });
  await app.inside.mcp?.find("fake")?.reconnect();
  expect(await type("/mcp approve fake")).toContain("and 1 more tools: `margay mcp approve NAME` or the page MCP");
});

test("SC45 /mcp in Chinese", async (t) => {
  const { type } = await chat(t, fakeServer({ instructions: "x" }), { language: "zh-CN" });
  expect(await type("/mcp")).toContain("等待审核：`/mcp approve fake`");
  const shown = await type("/mcp approve fake");
  for (const text of ["的自我说明如下", "使用说明：", "新增，自称只读", "参数：", "不予批准"])
    expect(shown).toContain(text);
  expect(await type(`/mcp approve fake ${code(shown)}`)).toContain("已批准");
});
