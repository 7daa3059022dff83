// A question of a turn in Telegram is answered there with a button, and the page knows it at once.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openBrowser, until } from "../../../../packages/app/test/browser/support.ts";
import { startTelegram } from "../emulator/telegram.ts";

test("CH70 CH71 CH72 an approval is pressed in Telegram, carried out once, closed in the page, and its buttons are gone", async (t) => {
  const telegram = await startTelegram();
  t.onTestFinished(() => telegram[Symbol.asyncDispose]());
  const anna = telegram.person("Anna");
  const eve = telegram.person("Eve");
  const chat = telegram.privateChat(anna);
  const place = await openBrowser(t, {
    config: {
      channels: {
        telegram: { enabled: true, token: telegram.token, baseUrl: telegram.url, operators: [String(anna.id)] },
      },
      policy: { rules: [{ tool: "write_file", action: "ask" }] },
    } as never,
  });
  const { page, gateway } = place;
  gateway.model.replies(callsTool("write_file", { path: "note.txt", content: "milk" }), says("Written."));
  telegram.write(anna, chat, "note milk");
  const question = () => telegram.shown(chat).find(({ text }) => text.includes("write_file"));
  await until(() => question()?.buttons.flat().length ?? 0).toBeGreaterThan(1);
  await page.goto(`${gateway.url}/?p=approvals`);
  await page.getByText("note.txt").first().waitFor();
  const file = join(gateway.workspace, "note.txt");
  expect(existsSync(file)).toBe(false);

  const asked = question();
  const [allow] = asked?.message.reply_markup?.inline_keyboard.flat() ?? [];
  const data = allow !== undefined && "callback_data" in allow ? String(allow.callback_data) : "";
  expect(data).toMatch(/^[\w-]{22}$/);
  const stranger = await telegram.press(eve, chat, asked?.id ?? 0, data);
  expect([existsSync(file), stranger.alert]).toEqual([false, true]);
  const pressed = await telegram.press(anna, chat, asked?.id ?? 0, data);
  const at = Date.now();
  expect(pressed.timedOut).toBe(false);
  await page.getByText("note.txt").first().waitFor({ state: "hidden", timeout: 1000 });
  expect(Date.now() - at).toBeLessThan(1500);
  await until(() => telegram.shown(chat).at(-1)?.text).toBe("Written.");
  await until(() => question()?.buttons.flat().length ?? 0).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("milk");
  expect(gateway.model.requests).toHaveLength(2);
  await place.isClean();
});
