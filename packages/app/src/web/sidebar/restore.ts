/** Out of the trash, and into the list at once. */
import { api } from "../api.ts";
import { markDeleted, putSummary } from "../store/sessions.ts";
import type { SessionDetail } from "../wire.ts";

export async function restore(id: string): Promise<void> {
  const { body } = await api.post<SessionDetail>(`/sessions/${id}/restore`);
  markDeleted(id, false);
  putSummary(body);
}
