/** A question whose call would do something else by now is put anew, with what it would do now. */
import type { CallId } from "../../contract/base.ts";
import type { Session } from "../../contract/session.ts";
import { currentHash } from "../../loop/questions/binding.ts";
import { judge } from "../../loop/tool-step.ts";
import type { ToolDeps } from "../../loop/deps.ts";
import { askedCall } from "../../loop/plan.ts";

/** @returns whether it was judged again. */
export async function askAgain(session: Session, id: CallId, deps: ToolDeps): Promise<boolean> {
  const item = askedCall(session.state, id);
  if (item === undefined) return false;
  const hash = await currentHash(session.state, item.call, deps);
  if (hash === undefined || hash === item.hash || askedCall(session.state, id) === undefined) return false;
  await judge(session, [item.call], deps);
  await session.commit(); // whoever is told that it changed finds the new question
  return true;
}
