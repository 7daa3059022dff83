/** Whether somebody looks at this page, for the gateway: what waits is told to other devices only while nobody does. */
import { link } from "../store/link.ts";
import { isPushOn } from "./flag.ts";

/** Said with each new line and each change. @returns the function that ends it. */
export function sayWhoLooks(): () => void {
  const line = link();
  const say = (): void => {
    const visible = document.visibilityState === "visible";
    void line.command("page.set", { visible }).catch(() => {}); // the line is down: the next one says it
  };
  const unlisten = line.listen(({ type }) => {
    if (type === "welcome") say();
  });
  document.addEventListener("visibilitychange", say);
  let unfollow = (): void => {};
  if (isPushOn())
    import("./device.ts").then(
      ({ follow }) => (unfollow = follow()),
      () => {}, // another build is there: the page says so
    );
  return () => {
    unlisten();
    unfollow();
    document.removeEventListener("visibilitychange", say);
  };
}
