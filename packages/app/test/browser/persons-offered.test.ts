// What the pages offer somebody beside the owner: their files, and of menus and buttons what the gateway does for them.
import { callsTool, says } from "@margay/core/testing";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { en } from "../../src/web/texts/chat.en.ts";
import { zh } from "../../src/web/texts/chat.zh.ts";
import { en as ownEn } from "../../src/web/chat/own/texts.en.ts";
import { zh as ownZh } from "../../src/web/chat/own/texts.zh.ts";
import { type BrowserPlace, openBrowser, say, until } from "./support.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const LOOKS = [
  ["on a computer", {}],
  ["on a phone in Chinese", { phone: true, language: "zh-CN" }],
] as const;

async function arrives(t: Parameters<typeof openBrowser>[0], options: object): Promise<BrowserPlace> {
  const place = await openBrowser(t, { ...options, outside: true, config: { people: { eva: { name: "Eva" } } } });
  await place.page.goto(`${place.origin}/#login=${place.gateway.gateway.auth.codes.mint("login", "eva").code}`);
  await place.page.locator("#composer").waitFor();
  return place;
}

async function gives(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.locator(".composer-foot button").first().click();
  await (await chooser).setFiles([file]);
  await page.locator(".attachments .chip.ready").last().waitFor();
}

test.for(LOOKS)(
  "PE30 a person sends a picture and a file, sees and saves them and what the agent sends, and has them after a reload, %s",
  async ([, options], t) => {
    const place = await arrives(t, options);
    const { page, gateway } = place;
    await gives(page, { name: "dot.png", mimeType: "image/png", buffer: PIXEL });
    await gives(page, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("EVA-NOTES") });
    gateway.model.replies(
      callsTool("write_file", { path: "boats.csv", content: "EVA-BOAT,7" }),
      callsTool("message", { content: "Here.", media: ["boats.csv"] }),
      says("That was it."),
    );
    await say(page, "look at these");
    await page.getByText("That was it.").waitFor();
    const saves = async (name: string): Promise<string> => {
      const download = page.waitForEvent("download");
      await page.locator(".feed .chip").getByText(name).click();
      const stream = await (await download).createReadStream();
      return Buffer.concat(await stream.toArray()).toString();
    };
    for (const _time of ["at once", "after a reload"]) {
      const picture = page.locator(".bubble img.media");
      await until(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
      expect(await saves("notes.txt")).toBe("EVA-NOTES");
      expect(await saves("boats.csv")).toBe("EVA-BOAT,7");
      await place.isClean();
      await page.reload();
    }
    await page.goto(`${place.origin}/?p=files`);
    await page.locator(".panel").getByText("boats.csv").first().click();
    await page.locator(".panel").getByText("EVA-BOAT,7").first().waitFor();
    await place.isClean();
  },
);

const REFUSED = [
  ...(["session.fork", "session.explain", "item.fork", "item.explain"] as const),
  ...(["item.undo", "item.regenerate", "item.regenerate.model", "list.import"] as const),
] as const;
/** Of messages of one's own. */
const REFUSED_OWN = ["edit", "fork.before", "fork.here", "explain"] as const;
/** What would end the walk. */
const LEAVES = /Delete|Log out|Archive|Compare|删除|退出|归档/;

test.for(LOOKS)(
  "PE30 whatever a person finds in a menu is done for them, and what would be refused is not there, %s",
  async ([, options], t) => {
    const place = await arrives(t, options);
    const { page, gateway } = place;
    gateway.model.replies(callsTool("write_file", { path: "boat.txt", content: "blue" }), says("It is blue."));
    await say(page, "Which colour is the boat?");
    await page.getByText("It is blue.").waitFor();
    await gateway.app.agent.idle();
    const address = page.url();
    const menus = page.locator("[aria-haspopup=menu]:visible");
    const found: string[] = [];
    const count = await menus.count();
    expect(count).toBeGreaterThan(1);
    for (let menu = 0; menu < count; menu++) {
      const entries = page.locator(".menu [role^=menuitem]");
      const open = async (): Promise<readonly string[]> => {
        await page.goto(address);
        await page.getByText("It is blue.").waitFor();
        await menus.nth(menu).click();
        return entries.allInnerTexts();
      };
      const names = await open();
      expect(names.length).toBeGreaterThan(0);
      found.push(...names);
      for (const [index, name] of names.entries()) {
        if (LEAVES.test(name)) continue;
        await open();
        await entries.nth(index).click();
        await page.waitForLoadState("networkidle");
        expect([name, await page.locator(".toast, [role=alert]").allInnerTexts()]).toEqual([
          name,
          expect.not.arrayContaining([expect.stringContaining("auth.scope")]),
        ]);
        expect([name, place.faults]).toEqual([name, []]);
      }
    }
    const isChinese = "language" in options;
    const refused = [
      ...REFUSED.map((key) => (isChinese ? zh : en)[key]),
      ...REFUSED_OWN.map((key) => (isChinese ? ownZh : ownEn)[key]),
    ];
    for (const name of refused) {
      expect(found).not.toContain(name);
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
    }
    // Commands: as the role has them.
    await page.goto(address);
    await page.locator("#composer").fill("/");
    const commands = page.locator("#command-menu [role=option]");
    await commands.first().waitFor();
    const offered = (await commands.allInnerTexts()).map((text) => /\/\w+/.exec(text)?.[0]);
    expect(offered).toContain("/new");
    expect(offered).not.toContain("/model");
    await page.locator("#composer").fill("$");
    await page.locator("#composer").fill("@");
    await page.locator("#command-menu").getByText("@boat.txt").waitFor();
    await place.isClean();
  },
);

test.for([
  ["on a computer", {}, "Allow once", "An operator answers this."],
  ["on a phone in Chinese", { phone: true, language: "zh-CN" }, "允许一次", "由操作员答复。"],
] as const)(
  "PE30 PE91 a person answers what stays in their room, and of what is an operator's to answer they are told so, %s",
  async ([, options, allow, told], t) => {
    const place = await arrives(t, options);
    const { page, gateway } = place;
    const space = join(gateway.home, "spaces", "p-eva");
    mkdirSync(join(space, "inbox"), { recursive: true });
    writeFileSync(join(space, "inbox", "mail.txt"), "a stranger's text");
    const card = page.locator(".approval");
    gateway.model.replies(
      callsTool("read_file", { path: "inbox/mail.txt" }),
      callsTool("remember", { text: "EVA likes tea" }),
      callsTool("web_fetch", { url: "https://example.org/?q=tea" }),
      says("done"),
    );
    await say(page, "go on");
    await card.getByText("remember").first().waitFor();
    await place.isClean();
    await card.getByRole("button", { name: allow, exact: true }).click();
    await card.getByText("example.org").first().waitFor();
    await card.getByText(told).waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    expect(readFileSync(join(space, "memory", "MEMORY.md"), "utf8")).toContain("EVA likes tea");
    await place.isClean();
    await page.locator(".stop-button").click();
    await gateway.app.agent.idle();
  },
);
