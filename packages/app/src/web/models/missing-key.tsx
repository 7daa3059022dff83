/** A provider that only misses its key: pasted here, tested, saved, and its models are in the list. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ProviderView } from "../../features/providers/schema.ts";
import { announce } from "../lib/announce.ts";
import { Button } from "../ui/button.tsx";
import { problemFrom } from "../ui/problem.tsx";
import { keepKey } from "./keep-key.ts";
import { t } from "./texts.ts";

interface MissingKeyProps {
  readonly provider: ProviderView;
  readonly onKey: () => void;
}

export function MissingKey({ provider, onKey }: MissingKeyProps): VNode {
  const { id, title, keyPage } = provider;
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const save = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      const failed = await keepKey(id, key);
      if (failed === undefined) {
        announce(t("keySaved", { title }));
        onKey();
      } else setFault(failed);
    } catch (error) {
      const { detail, remedy } = problemFrom(error);
      setFault(remedy === undefined ? detail : `${detail} ${remedy}`);
    }
    setBusy(false);
  };
  return (
    <form
      class="picker-key"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label for={`picker-key-${id}`}>
        <strong>{title}</strong> <span class="warn-ink">· {t("noKey")}</span>
      </label>
      <div class="row">
        <input
          id={`picker-key-${id}`}
          class="input grow"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          placeholder={t("pasteKey")}
          value={key}
          {...(fault !== undefined && { "aria-invalid": "true", "aria-describedby": `picker-fault-${id}` })}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <Button type="submit" busy={busy} disabled={key.trim() === ""}>
          {t("test")}
        </Button>
        {keyPage !== undefined && (
          <a href={keyPage} target="_blank" rel="noopener noreferrer">
            {t("getKey")}
          </a>
        )}
      </div>
      {fault !== undefined && (
        <p class="fault" id={`picker-fault-${id}`} role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}
