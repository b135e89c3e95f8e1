import { writeSite } from '../../../../scripts/site/write-site.ts';

/** Writes the documentation's files, which the runtime reads when it starts. */
export default function provideSite(): void {
  writeSite();
}
