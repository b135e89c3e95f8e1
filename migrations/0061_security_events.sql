-- What happens to an account's security is told to who listens: its passkeys, recovery codes and recoveries, and a sign-in
-- from a browser that was not known. The audit's row is written in the transaction of each, and is what the event tells.

CREATE TRIGGER audit_tells_security AFTER INSERT ON audit
WHEN NEW.action IN ('add_passkey', 'remove_passkey', 'draw_recovery_codes', 'allow_recovery', 'recover_account')
  OR (NEW.action = 'open_session' AND NEW.detail ->> 'browser' IS NOT NULL)
BEGIN
  INSERT INTO events (account_id, sequence, type, subject, detail)
    SELECT account_id, sequence,
      CASE NEW.action
        WHEN 'add_passkey' THEN 'security.passkey_added'
        WHEN 'remove_passkey' THEN 'security.passkey_removed'
        WHEN 'draw_recovery_codes' THEN 'security.recovery_codes_drawn'
        WHEN 'allow_recovery' THEN 'security.recovery_allowed'
        WHEN 'recover_account' THEN 'security.recovered'
        ELSE 'security.signed_in'
      END,
      NEW.target,
      json_object('passkey', NEW.detail ->> 'name', 'browser', NEW.detail ->> 'browser', 'proof', NEW.detail ->> 'proof')
    FROM next_events WHERE account_id = NEW.target;
END;

-- An endpoint that the exchange switches off is a change of the account too: its holder is told by mail, and the operator
-- finds it in the audit. The host alone is named: a path may hold a secret of the receiver.
CREATE TRIGGER webhook_endpoints_note_their_end AFTER UPDATE OF status ON webhook_endpoints
WHEN OLD.status = 'enabled' AND NEW.status = 'disabled' AND NEW.reason IS NOT NULL
BEGIN
  INSERT INTO audit (id, ts, role, action, target, detail)
    SELECT coalesce(max(id), 0) + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER), 'exchange', 'disable_endpoint',
      NEW.account_id, json_object('host', host, 'reason', NEW.reason)
    FROM audit, (
      SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS host
      FROM (SELECT substr(NEW.url, instr(NEW.url, '://') + 3) AS rest));
END;
