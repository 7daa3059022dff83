// The emulator, asked by the client that Feishu makes: what it takes for Feishu is one.
import * as lark from "@larksuiteoapi/node-sdk";
import { createReadStream, mkdtempSync, type ReadStream, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Feishu, type FeishuOptions, startFeishu } from "./emulator/feishu.ts";

const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {}, trace: () => {} };

async function feishuOf(options: FeishuOptions = {}): Promise<Feishu> {
  const feishu = await startFeishu(options);
  onTestFinished(() => feishu[Symbol.asyncDispose]());
  return feishu;
}

function clientOf({ url, world }: Feishu): lark.Client {
  const cache = new Map<unknown, { value: unknown; until: number }>();
  return new lark.Client({
    appId: world.appId,
    appSecret: world.secret,
    domain: url,
    logger: quiet,
    cache: {
      get: (key) => Promise.resolve(cache.get(String(key))?.value),
      set: (key, value, expire = Infinity) => {
        cache.set(String(key), { value, until: expire });
        return Promise.resolve(true);
      },
    },
  });
}

/** The code of a refusal. */
async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    (value) => value,
    (thrown: unknown) => thrown,
  );
  return (error as { response?: { data?: { code?: number } } }).response?.data?.code ?? error;
}

test("CH100 CH104 the vendor's client reads, is acknowledged, presses a button, and is told again what it did not take", async () => {
  const feishu = await feishuOf({ speed: 20, pingSeconds: 1 });
  const anna = feishu.person("Anna");
  const dm = feishu.dm(anna);
  const client = clientOf(feishu);
  const texts: string[] = [];
  let fails = 1;
  const dispatcher = new lark.EventDispatcher({ logger: quiet }).register({
    "im.message.receive_v1": ({ message }) => {
      texts.push((JSON.parse(message.content) as { text: string }).text);
      fails -= 1;
      if (fails === 0) throw new Error("the disk is full");
    },
    "card.action.trigger": () => ({ toast: { type: "info", content: "Pressed." } }),
  });
  const { appId, secret } = feishu.world;
  const socket = new lark.WSClient({ appId, appSecret: secret, domain: feishu.url, logger: quiet });
  onTestFinished(() => socket.close({ force: true }));
  await socket.start({ eventDispatcher: dispatcher });
  await feishu.until(() => feishu.gateway.ready() === 1);
  feishu.gateway.fragments = 2;
  const long = "好\u{1f600}".repeat(500);
  feishu.write(anna, dm, long);
  await feishu.until(() => feishu.gateway.events[0]?.answer !== undefined);
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.every((text) => text === long)).toBe(true);
  const data = { receive_id: dm.id, msg_type: "interactive", content: JSON.stringify(cardWith("Yes")), uuid: "u1" };
  const sent = [1, 2].map(() => client.im.v1.message.create({ params: { receive_id_type: "chat_id" }, data }));
  const [first, second] = await Promise.all(sent);
  expect(first?.data?.message_id).toBe(second?.data?.message_id);
  expect(await feishu.press(anna, first?.data?.message_id ?? "", "Yes")).toEqual({ type: "info", content: "Pressed." });
});

function cardWith(label: string): object {
  const button = {
    tag: "button",
    text: { tag: "plain_text", content: label },
    behaviors: [{ type: "callback", value: { a: 1 } }],
  };
  const columns = [{ tag: "column", width: "auto", elements: [button] }];
  return {
    schema: "2.0",
    body: {
      elements: [
        { tag: "markdown", content: "?" },
        { tag: "column_set", columns },
      ],
    },
  };
}

test("CH101 CH102 it lists, answers, patches and refuses as the vendor's client expects it", async () => {
  const feishu = await feishuOf();
  const anna = feishu.person("Anna");
  const topics = feishu.topics(anna);
  const client = clientOf(feishu);
  const root = feishu.writeUntold(anna, topics, "question");
  const reply = await client.im.v1.message.reply({
    path: { message_id: root.id },
    data: { content: JSON.stringify(cardWith("Yes")), msg_type: "interactive", reply_in_thread: true },
  });
  expect(reply.data).toMatchObject({ root_id: root.id, thread_id: root.thread });
  const id = reply.data?.message_id ?? "";
  await client.im.v1.message.patch({ path: { message_id: id }, data: { content: JSON.stringify(cardWith("No")) } });
  expect(feishu.shown(topics)[1]?.buttons).toMatchObject([{ label: "No" }]);
  const container = { container_id_type: "thread", container_id: root.thread ?? "", page_size: 1 };
  const pages: unknown[] = [];
  for await (const page of await client.im.v1.message.listWithIterator({ params: container }))
    pages.push(page?.items?.map((item) => item.message_id));
  expect(pages).toEqual([[root.id], [id]]);
  const patch = { path: { message_id: root.id }, data: { content: "{}" } };
  expect(await codeOf(client.im.v1.message.patch(patch))).toBe(230_012);
  feishu.expireTokens();
  expect(await codeOf(client.im.v1.message.get({ path: { message_id: id } }))).toBe(99_991_663);
});

function fileWith(text: string): ReadStream {
  const folder = mkdtempSync(join(tmpdir(), "margay-feishu-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "a.bin"), text);
  return createReadStream(join(folder, "a.bin"));
}

test("CH101 files are taken and given, with their kinds and limits", async () => {
  const feishu = await feishuOf();
  const anna = feishu.person("Anna");
  const dm = feishu.dm(anna);
  const client = clientOf(feishu);
  const made = await client.im.v1.file.create({
    data: { file_type: "pdf", file_name: "a.pdf", file: fileWith("pages") },
  });
  const content = JSON.stringify({ file_key: made?.file_key });
  const params = { receive_id_type: "open_id" } as const;
  const sent = await client.im.v1.message.create({
    params,
    data: { receive_id: anna.openId, msg_type: "file", content },
  });
  expect(feishu.shown(dm)).toMatchObject([{ type: "file" }]);
  const got = await client.im.v1.messageResource.get({
    path: { message_id: sent.data?.message_id ?? "", file_key: made?.file_key ?? "" },
    params: { type: "file" },
  });
  const parts: Buffer[] = [];
  for await (const part of got.getReadableStream()) parts.push(part as Buffer);
  expect(String(Buffer.concat(parts))).toBe("pages");
  const odd = { data: { image_type: "message", image: fileWith("no picture") } } as const;
  expect(await codeOf(client.im.v1.image.create(odd))).toBe(234_011);
});

test("CH102 CH245 the vendor's client makes a card, shows it, writes it and closes it; numbers have to rise", async () => {
  const feishu = await feishuOf();
  const { card, cardElement } = clientOf(feishu).cardkit.v1;
  const dm = feishu.dm(feishu.person("Anna"));
  const json = (content: string, more: object = {}): string =>
    JSON.stringify({
      schema: "2.0",
      config: { update_multi: true, ...more },
      body: { elements: [{ tag: "markdown", element_id: "answer", content }] },
    });
  const made = await card.create({ data: { type: "card_json", data: json("one", { streaming_mode: true }) } });
  const path = { card_id: made.data?.card_id ?? "" };
  const show = (): Promise<unknown> =>
    clientOf(feishu).im.v1.message.create({
      params: { receive_id_type: "chat_id" },
      data: { receive_id: dm.id, msg_type: "interactive", content: JSON.stringify({ type: "card", data: path }) },
    });
  await show();
  expect(await codeOf(show())).toBe(230_099);
  const write = (content: string, sequence: number): Promise<unknown> =>
    cardElement.content({ path: { ...path, element_id: "answer" }, data: { content, sequence } });
  await write("one two", 1);
  expect(feishu.shown(dm)).toMatchObject([{ text: "one two" }]);
  expect(await codeOf(write("again", 1))).toBe(300_317);
  await card.settings({ path, data: { settings: JSON.stringify({ config: { streaming_mode: false } }), sequence: 2 } });
  expect(await codeOf(write("late", 3))).toBe(300_309);
  await card.update({ path, data: { card: { type: "card_json", data: json("whole") }, sequence: 4 } });
  expect(feishu.shown(dm)).toMatchObject([{ text: "whole" }]);
  feishu.world.scopes.delete("cardkit:card:write");
  expect(await codeOf(card.create({ data: { type: "card_json", data: json("no") } }))).toBe(99_991_672);
});
