import { join } from "node:path";
import { createAgent, httpProvider, type Agent } from "@margay/core";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { plugin } from "../src/index.ts";
import { BOT, hostIn, settings, temporary, xmppServer } from "./support.ts";

test("CH42 CH320 with a real agent: what was written while we were away is answered once, over an end in the middle of the answer", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const folder = temporary();
  const state = temporary();
  const workspace = temporary();
  let up: Promise<void> | undefined;
  const live = (): Agent => {
    const host = hostIn(state);
    up = host.until(() => host.told.up.length > 0);
    const agent = createAgent({
      directory: join(folder, "home"),
      workspace,
      provider: httpProvider({ id: "mock", wire: "openai-chat", baseUrl: `${model.url}/v1`, keys: ["test-key"] }),
      model: { provider: "mock", model: "mock-model" },
      policy: {
        admit: () => Promise.resolve({ ok: true }),
        judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
      },
      channels: [plugin.create({ id: "xmpp", settings: settings(server) }, host)],
    });
    onTestFinished(async () => agent[Symbol.asyncDispose]());
    return agent;
  };
  const first = live();
  const ended = first.run(new AbortController().signal);
  await up;
  model.replies(says("the answer"));
  const broke = server.proxy.breakAt({ says: "the answer", passes: true });
  await anna.write(BOT, "question");
  await broke;
  server.proxy.closed = true;
  await first[Symbol.asyncDispose]();
  await ended;
  server.proxy.closed = false;
  model.replies(says("the second answer"));
  await anna.write(BOT, "another question");
  await anna.settled();
  const second = live();
  void second.run(new AbortController().signal);
  await anna.sees(2);
  await second.idle();
  await anna.settled();
  expect(anna.seen.map(({ text }) => text)).toEqual(["the answer", "the second answer"]);
});
