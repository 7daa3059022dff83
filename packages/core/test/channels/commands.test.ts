// Which commands a platform is told of, and when.
import { expect, test } from "vitest";
import { commandList } from "../../src/channels/commands/command-list.ts";
import { registering } from "../../src/channels/commands/registering.ts";
import type { Channel, CommandInfo } from "../../src/contract/channel.ts";
import { commandTexts } from "../../src/control/command-texts.ts";
import { commandIn } from "../../src/control/commands.ts";
import { run, temporary, testHost } from "./alone.ts";

const LIST: readonly CommandInfo[] = [{ name: "help", description: { en: "this list", "zh-CN": "显示本列表" } }];

test("CH74 the list is made of what /help says: each command once, in both languages, and whether words may stand behind it", () => {
  const list = commandList(commandTexts);
  const names = list.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(["help", "new", "stop", "allow", "deny", "here", "restart"]));
  // What is offered is there, and a second name of the same is not offered.
  expect(names.filter((name) => commandIn(`/${name}`) !== name)).toEqual([]);
  expect(names).not.toContain("approve");
  for (const { name, description } of list) {
    expect([name, description.en]).toEqual([name, expect.stringMatching(/^[\w ,:’'-]{3,100}$/)]);
    expect([name, description["zh-CN"]]).toEqual([name, expect.stringMatching(/\p{Script=Han}|MCP/u)]);
  }
  expect(list.filter(({ words }) => words === true).map(({ name }) => name)).toEqual(
    "stop link model persona skill allow deny trust rules mcp quarantine here".split(" "),
  );
});

test("CH74 a platform that refuses the list is told again when it is up again, and nothing else waits for it", async () => {
  const folder = temporary("commands");
  const host = testHost("desk", folder);
  const { host: given, run: runs } = registering(host, LIST);
  let asked = 0;
  let ups = Promise.withResolvers<void>();
  const channel: Channel = {
    id: "desk",
    can: { once: "no", text: { dialect: "plain", max: 1000 } },
    send: () => Promise.resolve(undefined),
    commands: (list) => {
      asked += 1;
      expect(list).toEqual(LIST);
      return asked === 1 ? Promise.reject(new Error("not today")) : Promise.resolve();
    },
    async run(inbox, signal) {
      while (!signal.aborted) {
        given.up("us");
        await inbox.accept({
          key: String(host.told.up.length),
          origin: { channel: "desk", chat: "1" },
          from: { id: "anna", kind: "person" },
          parts: [{ type: "text", text: "hello" }],
        });
        await ups.promise;
        ups = Promise.withResolvers();
      }
    },
  };
  const running = run({ ...channel, run: (inbox, signal) => runs(channel, inbox, signal) });
  const kept = (): unknown => host.state.value("commands");
  await running.received(1);
  await host.until(() => host.told.events.length > 0);
  expect(host.told.events).toEqual([
    { event: "channel.commands-failed", data: { channel: "desk", message: "not today" } },
  ]);
  expect(kept()).toBeUndefined();
  ups.resolve();
  await running.received(2);
  await host.until(() => kept() !== undefined);
  ups.resolve();
  await running.received(3);
  expect(asked).toBe(2);
  const stopped = running.stop();
  ups.resolve();
  await stopped;
});
