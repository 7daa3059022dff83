/** Somebody pressed a button of ours. */
import { BUTTON } from "./buttons.ts";
import { answer, type Interaction, placeOf } from "./interactions.ts";
import { needed } from "./json.ts";
import type { Taking } from "./take.ts";

/** Of which button; undefined: of something else. @throws TypeError for a form that nobody foresaw. */
export function buttonOf({ inner }: Interaction): string | undefined {
  return inner["component_type"] === BUTTON ? needed(inner["custom_id"], "custom_id") : undefined;
}

/** What it did is said by the message itself; who may not press, or comes late, is told alone. @throws what `press` throws. */
export async function takePress(press: Interaction, token: string, taking: Taking): Promise<void> {
  const origin = await placeOf(press, taking);
  const pressed = await taking.inbox.press({ key: `press:${press.id}`, token, from: press.from, origin });
  await answer(press, pressed.status === "done" ? undefined : pressed.text, taking);
}
