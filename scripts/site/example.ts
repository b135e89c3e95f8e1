import { highlight } from './highlight.ts';

/** Code as it is shown everywhere. */
export const showBlock = (code: string, language: string | undefined) =>
  `<pre><code>${highlight(code, language)}</code></pre>`;

/** Something below a line that says what it is. */
export const showFigure = (caption: string, content: string) =>
  `<figure class="example"><figcaption>${caption}</figcaption>${content}</figure>`;

export const showExample = (caption: string, code: string, language: string | undefined) =>
  showFigure(caption, showBlock(code, language));
