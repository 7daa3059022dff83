// PE5: whoever follows the link of an invitation in Telegram is who was invited.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "../../../packages/app/test/gateway/support.ts";
import { startTelegram } from "./emulator/telegram.ts";

test("PE5 the link of an invitation opens Telegram, and `/start CODE` lets in who was invited", async () => {
  const telegram = await startTelegram();
  onTestFinished(() => telegram[Symbol.asyncDispose]());
  const eva = telegram.person("Eva");
  const chat = telegram.privateChat(eva);
  const channel = { enabled: true, token: telegram.token, baseUrl: telegram.url };
  const gateway = await startGateway(
    { onTestFinished },
    { config: { channels: { telegram: channel }, people: { eva: { name: "Eva" } } } as never },
  );
  const account = (): string | undefined => gateway.app.inside.platforms.status("telegram")?.account;
  await expect.poll(account, { timeout: 10_000 }).toBeDefined();
  const { status, body } = await gateway.api("/people/eva/invitation", { method: "POST" });
  expect(status).toBe(200);
  expect(body.code).toMatch(/^[A-Z2-9]{8}$/);
  expect(body.links).toEqual([
    {
      channel: "telegram",
      url: `https://t.me/${account()?.slice(1)}?start=${body.code}`,
      size: expect.any(Number),
      path: expect.stringMatching(/^M\d+ \d+h/),
    },
  ]);
  telegram.write(eva, chat, `/start ${body.code}`);
  await expect
    .poll(() => telegram.shown(chat).map(({ text }) => text), { timeout: 10_000 })
    .toContain("Welcome, eva: I know this account from now on. Just write what you need.");
  expect((await gateway.api("/people")).body).toMatchObject([{ person: "eva", ids: [`telegram:${eva.id}`] }]);
  expect(gateway.model.requests).toEqual([]);
  expect(JSON.stringify(gateway.logs)).not.toContain(body.code);
  await gateway.stop();
  const files = readdirSync(gateway.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files)
    expect([name, readFileSync(join(parentPath, name), "utf8").includes(body.code)]).toEqual([name, false]);
});
