/** What a page gets from the panel host. */

export interface PanelProps {
  /** What follows the page's name in the address: `<id>` of `?p=cron/<id>`. */
  readonly rest: string | undefined;
}
