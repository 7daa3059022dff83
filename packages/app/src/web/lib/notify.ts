/** Browser notifications for a tab that nobody looks at: opt-in, and without a word of what was said. */
import { effect, signal } from "@preact/signals";
import { isPushOn } from "../push/flag.ts";
import { t } from "./notify-texts.ts";

const STORED = "margay.notify";

/** What the person chose in this browser; the browser's own permission is asked for then. */
export const notifies = signal(localStorage.getItem(STORED) === "on");
/** Finished turns since nobody looks; the title counts them with the approvals. */
export const finishedAway = signal(0);

/** @returns false when the browser refuses. */
export async function setNotifies(on: boolean): Promise<boolean> {
  const allowed = !on || ("Notification" in window && (await Notification.requestPermission()) === "granted");
  notifies.value = on && allowed;
  if (notifies.value) localStorage.setItem(STORED, "on");
  else localStorage.removeItem(STORED);
  return allowed;
}

export interface Watched {
  /** Calls that wait for a yes, over all chats. */
  readonly approvals: () => number;
  /** Ids of the chats in which a turn runs. */
  readonly running: () => ReadonlySet<string>;
}

/** @returns the function that ends it. */
export function watchAway({ approvals, running }: Watched): () => void {
  let before = { approvals: 0, running: new Set<string>() as ReadonlySet<string> };
  const back = (): void => {
    if (document.visibilityState === "visible") finishedAway.value = 0;
  };
  document.addEventListener("visibilitychange", back);
  const stop = effect(() => {
    const now = { approvals: approvals(), running: running() };
    const asked = now.approvals > before.approvals;
    const finished = [...before.running].filter((id) => !now.running.has(id)).length;
    before = now;
    if (document.visibilityState === "visible") return;
    if (asked) show("approval", t("approval"));
    if (finished > 0) {
      finishedAway.value = finishedAway.peek() + finished;
      show("finished", t("finished"));
    }
  });
  return () => {
    stop();
    document.removeEventListener("visibilitychange", back);
  };
}

function show(tag: string, body: string): void {
  if (!notifies.peek() || !("Notification" in window) || Notification.permission !== "granted") return;
  if (isPushOn()) return; // this device is told of the same
  const shown = new Notification("margay", { body, tag });
  shown.addEventListener("click", () => {
    window.focus();
    shown.close();
  });
}
