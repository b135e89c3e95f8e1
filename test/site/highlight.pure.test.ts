import { describe, expect, it } from 'vitest';
import { highlight } from '../../scripts/site/highlight.ts';
import { escapeHtml } from '../../scripts/site/escape-html.ts';

const textOf = (html: string) => html.replaceAll(/<span class="c-\w+">|<\/span>|<wbr>/g, '');

describe('code with colours', () => {
  it.each([
    ['json', '{\n  "price": "65 \\"000\\"", "amount": 0.5, "done": true, "none": null\n}'],
    ['sh', 'KEY=bk_test_…   # as printed\ncurl -s "$URL/api" -d \'{"a":"b"}\' | field "order.id" # end'],
    ['ts', 'const order = await bureau.placeOrder({ value: `1${0}` }); // <b>bold</b>\n/* a\n b */'],
    [
      'python',
      'def order(key, **limits):\n    """Places an order."""\n    return f"{key}" if not None else 1_000  # once',
    ],
    ['toml', 'NAME = "<value>"'],
    [undefined, 'a < b && c > d'],
  ] as const)('is the same text, escaped: %s', (language, code) => {
    expect(textOf(highlight(code, language))).toBe(escapeHtml(code));
  });

  it('names what it colours, and leaves a comment or a text whole', () => {
    expect(highlight('"a": "# b"', 'json')).toBe(
      '<span class="c-name">&quot;a&quot;</span>: <span class="c-string">&quot;# b&quot;</span>',
    );
    expect(highlight('x # "y"', 'python')).toBe('x <span class="c-comment"># &quot;y&quot;</span>');
    expect(highlight('"a": -0.5', 'json')).toBe(
      '<span class="c-name">&quot;a&quot;</span>: <span class="c-number">-0.5</span>',
    );
    expect(highlight('a-1', 'ts')).toBe('a-<span class="c-number">1</span>');
    expect(highlight('"# y"', 'sh')).toBe('<span class="c-string">&quot;# y&quot;</span>');
  });
});
