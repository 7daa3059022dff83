// Web Push from end to end, in a browser that can be told which push service is its own: nothing of it is handed over by the test.
import { callsTool } from "@margay/core/testing";
import { expect, test } from "vitest";
import { startGateway } from "../gateway/support.ts";
import { startAutopush } from "./autopush.ts";
import { startFirefox, type Firefox } from "./firefox.ts";

const SWITCH = ".push-switch input[type=checkbox]";
/** What must not leave the gateway. */
const SECRET = "canary";

/** Refusals of the page's own policy and errors of its scripts, as the browser reports them. */
function complaints(firefox: Firefox): Promise<readonly string[]> {
  return firefox.around(`return Services.console.getMessageArray()
    .filter((one) => one instanceof Ci.nsIScriptError && (one.flags & Ci.nsIScriptError.warningFlag) === 0)
    .filter(({ sourceName }) => /^https?:/.test(sourceName)).map(String)`);
}

function until<Value>(read: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(read, { interval: 50 });
}

// A browser is started for it, which takes its time on a busy machine.
const LIMITS = { timeout: 300_000 };

test(
  "W§13.14 Firefox subscribes at its push service, shows a count, and a tap with no page open opens that question",
  LIMITS,
  async (t) => {
    const push = await startAutopush(t);
    const gateway = await startGateway(t, {
      config: {
        policy: { rules: [{ tool: "recall", action: "ask" }] },
        tools: { webFetch: { allowHosts: [push.service.host] } },
      } as never,
    });
    const firefox = await startFirefox(t, push.url);
    await firefox.go(`${gateway.url}/#login=${gateway.gateway.auth.codes.mint("login").code}`);
    await until(() => firefox.inPage("return document.querySelector('#composer') !== null")).toBe(true);
    await firefox.go(`${gateway.url}/?p=settings/notifications`);
    await firefox.click(SWITCH);
    await firefox.click(".push-switch .p-row button"); // "Try it"
    await until(firefox.notices).toEqual(["margay: Nothing waits for you now."]);
    expect(await firefox.inPage("return Notification.permission")).toBe("granted");
    expect((await gateway.api("/push")).body.items).toMatchObject([{ service: "localhost", unsent: false }]);
    // The last page is closed; two questions come.
    await firefox.closePages();
    const asks = async (query: string): Promise<void> => {
      gateway.model.replies(callsTool("recall", { query }));
      const message = { parts: [{ type: "text", text: "look" }] };
      await gateway.api("/sessions", { method: "POST", body: { message } });
    };
    await asks(`the first ${SECRET}`);
    await until(firefox.notices).toEqual(["margay: 1 thing waits for you."]);
    await asks(`the second ${SECRET}`);
    await until(firefox.notices).toEqual(["margay: 2 things wait for you."]);
    const { items } = (await gateway.api("/approvals")).body;
    const [second] = items as readonly { readonly session: string; readonly call: string }[];
    await firefox.tapNotice();
    await firefox.newTab();
    const focused = "return document.activeElement?.textContent ?? ''";
    await until(() => firefox.inPage(focused)).toContain(`the second ${SECRET}`);
    expect(await firefox.inPage("return location.pathname + location.search")).toBe(
      `/?p=approvals/${second?.session}/${second?.call}`,
    );
    await until(firefox.notices).toEqual([]);
    // What crossed: encrypted for this browser, all of one length, taken by its worker.
    expect(push.delivered.length).toBeGreaterThanOrEqual(3);
    expect(new Set(push.delivered.map(({ body }) => body.length)).size).toBe(1);
    expect(push.delivered.some(({ body }) => body.includes(SECRET))).toBe(false);
    await until(() => push.codes).toEqual(push.delivered.map(() => 100));
    // And off again.
    await firefox.go(`${gateway.url}/?p=settings/notifications`);
    await firefox.click(SWITCH);
    await until(() => push.channels).toBe(0);
    await until(async () => (await gateway.api("/push")).body.items).toEqual([]);
    expect(push.service.faults).toEqual([]);
    expect(await complaints(firefox)).toEqual([]);
  },
);
