/** Models that could answer in the place of one that cannot. */
import type { InsteadView } from "../../../features/providers/schema.ts";
import { api } from "../../api.ts";
import type { Chat } from "../../store/chat-state.ts";
import { patchSession, putSummary } from "../../store/sessions.ts";
import type { SessionDetail } from "../../wire.ts";

export type Others = InsteadView;

export async function othersFor(current: { readonly provider: string; readonly model: string }): Promise<Others> {
  const query = { model: `${current.provider}/${current.model}` };
  return (await api.get<Others>("/models/instead", { query })).body;
}

/** For this chat alone. */
export async function switchTo(chat: Chat, { id }: SessionDetail, model: string): Promise<void> {
  const body = await patchSession(id, { model });
  chat.setDetail(body);
  putSummary(body);
}
