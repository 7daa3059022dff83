/** Into which folder a chat is put: one that is there, a new one, or none. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { t as chat } from "../../texts/chat.ts";
import { announce } from "../../lib/announce.ts";
import { changeSession } from "../../store/sessions.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { tell } from "../../ui/tell.ts";
import type { SessionSummary } from "../../wire.ts";
import { folders } from "./folders.ts";
import { t } from "./texts.ts";

export interface FolderDialogProps {
  readonly one: SessionSummary;
  readonly onClose: () => void;
}

/** As the gateway has it. */
const LONGEST = 60;

export function FolderDialog({ one, onClose }: FolderDialogProps): VNode {
  const [name, setName] = useState("");
  const title = one.title === "" ? chat("list.untitled") : one.title;
  const put = async (folder: string | null): Promise<void> => {
    onClose();
    if (folder === (one.folder ?? null) || !(await tell(changeSession(one, { folder })))) return;
    announce(folder === null ? t("folder.out.done", { title }) : t("folder.put.done", { title, folder }));
  };
  return (
    <Dialog title={t("folder.of", { title })} onClose={onClose}>
      <div class="stack">
        <div class="folder-choices" role="group" aria-label={t("folder.head")}>
          <Choice name={t("folder.none")} isHere={one.folder === undefined} onChoose={() => void put(null)} />
          {folders.value.map((each) => (
            <Choice
              key={each.name}
              name={each.name}
              count={each.sessions}
              isHere={one.folder === each.name}
              onChoose={() => void put(each.name)}
            />
          ))}
        </div>
        <form
          class="folder-new"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== "") void put(name.trim());
          }}
        >
          <TextField
            label={t("folder.new")}
            value={name}
            onValue={setName}
            maxLength={LONGEST}
            autocomplete="off"
            autofocus
          />
          <Button type="submit" kind="primary" disabled={name.trim() === ""}>
            {t("folder.put")}
          </Button>
        </form>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly count?: number;
  readonly isHere: boolean;
  readonly onChoose: () => void;
}

function Choice({ name, count, isHere, onChoose }: ChoiceProps): VNode {
  return (
    <button type="button" class="menu-item" aria-pressed={isHere} onClick={onChoose}>
      <Icon name={count === undefined ? "minus" : "folder"} size={16} />
      <span class="grow truncate" dir="auto">
        {name}
      </span>
      {isHere && <Icon name="check" size={16} />}
      {count !== undefined && <span class="note">{count}</span>}
    </button>
  );
}
