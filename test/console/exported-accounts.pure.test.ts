import { expect, it } from 'vitest';
import { addEmailColumn } from '../../console/pages/desk/parts/email-column.ts';
import { writeCsvLine } from '../../src/http/csv.ts';

it('exported accounts have the e-mails of their holders, whatever their names are, and none where there is no holder', async () => {
  const ids = [1, 2, 3].map((at) => `01a1fcca-895a-7000-b43c-11f474a4f8d${at}`);
  const rows = ids.map((id, at) => [id, ['plain', 'two\r\n01a1fcca, lines', 'a "quoted", one'][at], '10']);
  const csv = [['id', 'label', 'usdValue'], ...rows].map(writeCsvLine).join('');
  const asked: (readonly string[])[] = [];
  const completed = await addEmailColumn([csv], async (named) => {
    asked.push(named);
    return new Map([
      [ids[0] ?? '', 'a@b.example'],
      [ids[1] ?? '', '=1+1@b.example'],
    ]);
  });
  expect(asked).toEqual([ids]);
  const emails = ['a@b.example', '=1+1@b.example', undefined];
  const expected = [['id', 'label', 'usdValue', 'email'], ...rows.map((row, at) => [...row, emails[at]])];
  expect(completed).toBe(expected.map(writeCsvLine).join(''));
});

it('accounts that are found by the e-mail of their holder are exported before those found otherwise, each once', async () => {
  const lines = ['a', 'b', 'c'].map((name, at) => `01a1fcca-895a-7000-b43c-11f474a4f8d${at},${name}\r\n`);
  const [one, two, three] = lines;
  const header = 'id,label\r\n';
  const completed = await addEmailColumn([`${header}${two}${three}`, `${header}${one}${two}`], async () => new Map());
  expect(completed).toBe(
    ['id,label,email\r\n', ...[two, three, one].map((line) => line?.replace('\r', ',\r'))].join(''),
  );
});
