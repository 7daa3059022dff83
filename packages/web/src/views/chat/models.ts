/** The models that can be chosen, asked for once, when the first menu that shows them is reached. */
import { signal } from "@preact/signals";
import { api } from "../../api.ts";

interface ModelRow {
  readonly id: string;
  readonly provider?: string;
  readonly configured?: boolean;
}

const models = signal<readonly ModelRow[] | undefined>(undefined);

export function loadModels(): void {
  if (models.value !== undefined) return;
  models.value = [];
  void api.get<{ items: readonly ModelRow[] } | readonly ModelRow[]>("/models").then(
    ({ body }) => {
      models.value = "items" in body ? body.items : body;
    },
    () => {
      models.value = undefined; // asked again the next time
    },
  );
}

/** `provider/model` of those that have what they need. */
export function modelNames(): readonly string[] {
  return (models.value ?? [])
    .filter(({ configured }) => configured !== false)
    .map(({ id, provider }) => (provider === undefined || id.startsWith(`${provider}/`) ? id : `${provider}/${id}`));
}
