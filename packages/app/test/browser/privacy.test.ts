// Another person's conversation in the pages: who and where, and the text after a proof, of which they are told.
import { says } from "@margay/core/testing";
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
