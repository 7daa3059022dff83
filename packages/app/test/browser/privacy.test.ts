// Another person's conversation in the pages: who and where, and the text after a proof, of which they are told.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { systemClock } from "@margay/core/internal";
import { expect, test } from "vitest";
import { postSigned, SECRET, startReceiver } from "../channels/support.ts";
import { openBrowser, say, until } from "./support.ts";

test.for([
  ["in English", {}, "en", "What is said here is private to eva.", "Open", "Confirm", "opened this conversation"],
  [
    "on a phone in Chinese",
    { phone: true, language: "zh-CN" },
    "zh-CN",
    "这里的内容仅属于 eva。",
    "打开",
    "确认",
    "打开了本会话",
  ],
] as const)("PE30 PE31 a person's chat says whose it is, and is opened with a proof, %s", async (look, t) => {
  const [, options, language, sentence, open, confirm, told] = look;
  const inbox = await startReceiver({ secret: SECRET });
  t.onTestFinished(async () => inbox[Symbol.asyncDispose]());
  const machine = systemClock();
  let later = 0;
  const place = await openBrowser(t, {
    ...options,
    clock: { ...machine, now: () => machine.now() + later },
    expected: ["status of 403"],
    config: {
      people: { eva: { name: "Eva", ids: ["webhook:eva"] } },
      channels: { webhook: { enabled: true, secret: SECRET, options: { url: inbox.url, port: 0 } } },
      language,
    },
  });
  const { page, gateway } = place;
  const port = (): unknown => gateway.logs.findLast(({ event }) => event === "channel.listening")?.["port"];
  await until(port).toBeTypeOf("number");
  gateway.model.replies(says("Your bicycle is red."));
  await postSigned(Number(port()), { id: "1", chat: "eva", sender: "eva", text: "my bicycle is red", private: true });
  await inbox.took(1);
  const [{ id }] = (await gateway.api("/sessions")).body.items;
  later = 11 * 60_000; // the proof of the login is over
  await page.goto(`${gateway.url}/s/${id}`);
  await page.getByText(sentence).waitFor();
  expect(await page.content()).not.toContain("bicycle");
  await page.getByRole("main").getByRole("button", { name: open, exact: true }).click();
  const proof = page.getByRole("dialog");
  await proof.waitFor();
  await proof.getByRole("textbox").fill(gateway.gateway.auth.codes.mint("confirm").code);
  await proof.getByRole("button", { name: confirm }).click();
  await page.getByText("Your bicycle is red.").waitFor();
  await inbox.took(2);
  expect(String(inbox.received[1]?.body["text"])).toContain(told);
  await place.isClean();
});

test("R275 a line that breaks while a conversation is asked for is no conversation that cannot be shown", async (t) => {
  const place = await openBrowser(t, { expected: ["WebSocket"] });
  const { page, gateway } = place;
  let cuts = 0;
  let cut = (): void => {};
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    cut = () => {
      void socket.close();
      void server.close();
    };
    socket.onMessage((frame) => {
      const isAsked = String(frame).includes('"subscribe"') && String(frame).includes('"session"');
      if (!isAsked || cuts === 0) return server.send(frame);
      cuts -= 1;
      cut();
    });
  });
  gateway.model.replies(says("The first answer."));
  await page.reload();
  await say(page, "hello");
  await page.getByText("The first answer.").waitFor();
  cuts = 2; // when it comes again, and once more
  cut();
  await until(() => cuts).toBe(0);
  gateway.model.replies(says("The second answer."));
  await until(() => page.getByRole("textbox").count()).toBeGreaterThan(0);
  await say(page, "and again");
  await page.getByText("The second answer.").waitFor();
  await page.getByText("The first answer.").waitFor();
});

test.for([
  ["in English", {}, "en", /Always allow/, "These may be told from now on", "Save and allow", "Remove", "to Eva"],
  [
    ...(["on a phone in Chinese", { phone: true, language: "zh-CN" }, "zh-CN", /始终允许/] as const),
    ...(["以后可以告知的内容", "保存并允许", "移除", "告诉 Eva"] as const),
  ],
] as const)(
  "PE45 what the owner lets somebody have for always is shown before, listed, and taken back, %s",
  async (look, t) => {
    const [, options, language, always, title, save, remove, reader] = look;
    const place = await openBrowser(t, {
      ...options,
      config: {
        people: { owner: { ids: ["webhook:ada"], name: "Ada" }, eva: { name: "Eva", ids: ["webhook:eva"] } },
        channels: { webhook: { enabled: true, secret: SECRET } },
        language,
      },
    });
    const { page, gateway } = place;
    const { agent } = gateway.app;
    const writes = async (id: string, text: string): Promise<void> => {
      const origin = { channel: "webhook", chat: id };
      await agent.bus.accept({
        ...{ key: `${id}-${text}`, origin, from: { id, kind: "person" }, chat: "private" },
        parts: [{ type: "text", text }],
      });
      await agent.idle();
    };
    mkdirSync(join(gateway.workspace, "memory"), { recursive: true });
    writeFileSync(join(gateway.workspace, "memory/MEMORY.md"), "- the spare key is with Mia\n");
    for (const id of ["ada", "eva"]) await writes(id, "hi");
    gateway.model.replies(
      callsTool("ask_person", { person: "Ada", question: "where is the key?" }),
      callsTool("recall", { query: "key" }),
      says("With Mia."),
      says("I asked"),
    );
    await writes("eva", "ask Ada");
    await page.goto(`${gateway.url}/?p=approvals`);
    await page.getByRole("button", { name: always }).click();
    await page.getByRole("region", { name: title }).getByText("the spare key is with Mia").waitFor();
    await place.isClean();
    await page.getByRole("button", { name: save }).click();
    await until(async () => JSON.stringify((await agent.sessions.find("webhook:eva"))?.state.messages)).toContain(
      "With Mia.",
    );
    await page.goto(`${gateway.url}/?p=channels`);
    await page.getByRole("tab", { name: /^(People|联系人)/ }).click();
    const card = page.locator("li").filter({ hasText: reader });
    await card.getByText("the spare key is with Mia").waitFor();
    await place.isClean();
    await card.getByRole("button", { name: remove }).click();
    await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: remove }).click();
    await card.waitFor({ state: "detached" });
    expect((await gateway.api("/shares")).body).toEqual([]);
  },
);
