"""Who may connect: roles, their passwords by SCRAM-SHA-256, their limits, and what their sessions begin with."""
import struct

import psycopg
import pytest

from wire import protocol

ROLES = (
    "create role auth_open login",
    "create role auth_secret login password 'pencil'",
    "create role auth_nologin",
    "create role auth_expired login password 'pencil' valid until '2020-01-01'",
    "create role auth_later login password 'pencil' valid until '2120-01-01'",
    "create role auth_single login connection limit 1",
    "create role auth_unicode login password U&'\\2168\\00a0b'",
    "create role auth_settings login",
    "alter role auth_settings set work_mem = '3MB'",
    "alter role auth_settings set search_path = one, \"Two\"",
    "create role auth_group",
    "grant auth_group to auth_open",
)
NAMES = "auth_open, auth_secret, auth_nologin, auth_expired, auth_later, auth_single, auth_unicode, auth_settings, auth_group"


@pytest.fixture
def roles(gnomon):
    with gnomon.connect() as connection:
        for statement in ROLES:
            connection.execute(statement)
    yield gnomon
    with gnomon.connect() as connection:
        connection.execute(f"drop role {NAMES}")


def connect(server, user, password=None, **more):
    return psycopg.connect(host="127.0.0.1", port=server.port, user=user, password=password, dbname="postgres", autocommit=True, **more)


def refusal(server, user, password=None, **more):
    with pytest.raises(psycopg.OperationalError) as error:
        connect(server, user, password, **more)
    return str(error.value)


def whoami(connection):
    return connection.execute("select current_user, session_user").fetchone()


def test_roles_with_and_without_passwords(roles):
    with connect(roles, "auth_open") as connection:
        assert whoami(connection) == ("auth_open", "auth_open")
        assert connection.info.parameter_status("is_superuser") == "off"
        assert connection.info.parameter_status("session_authorization") == "auth_open"
    with connect(roles, "auth_secret", "pencil") as connection:
        assert whoami(connection) == ("auth_secret", "auth_secret")
    assert 'password authentication failed for user "auth_secret"' in refusal(roles, "auth_secret", "pen")
    assert "no password supplied" in refusal(roles, "auth_secret")
    assert 'role "auth_nobody" does not exist' in refusal(roles, "auth_nobody")
    assert 'role "auth_nologin" is not permitted to log in' in refusal(roles, "auth_nologin")
    assert 'password authentication failed for user "auth_expired"' in refusal(roles, "auth_expired", "pencil")
    with connect(roles, "auth_later", "pencil") as connection:
        assert whoami(connection)[0] == "auth_later"


def test_passwords_are_prepared_as_rfc_4013_says(roles):
    with connect(roles, "auth_unicode", "IX b") as connection:
        assert whoami(connection)[0] == "auth_unicode"
    with connect(roles, "auth_unicode", "\u2168\u00a0b") as connection:
        assert whoami(connection)[0] == "auth_unicode"


def test_what_is_stored_is_what_postgresql_stores(roles, postgres):
    with postgres.connect() as connection:
        connection.execute("create role auth_theirs password 'their pencil'")
        verifier = connection.execute("select rolpassword from pg_authid where rolname = 'auth_theirs'").fetchone()[0]
        connection.execute("drop role auth_theirs")
    with roles.connect() as connection:
        connection.execute(f"create role auth_theirs login password '{verifier}'")
        stored = connection.execute("select rolname, rolpassword from pg_authid where rolname in ('auth_theirs', 'auth_secret')").fetchall()
    assert dict(stored)["auth_theirs"] == verifier
    assert dict(stored)["auth_secret"].startswith("SCRAM-SHA-256$4096:")
    with connect(roles, "auth_theirs", "their pencil") as connection:
        assert whoami(connection)[0] == "auth_theirs"
    with roles.connect() as connection:
        connection.execute("alter role auth_theirs password 'another'")
    assert "password authentication failed" in refusal(roles, "auth_theirs", "their pencil")
    connect(roles, "auth_theirs", "another").close()
    with roles.connect() as connection:
        connection.execute("alter role auth_theirs password null")
    connect(roles, "auth_theirs").close()
    with roles.connect() as connection:
        connection.execute("drop role auth_theirs")


def test_connection_limit(roles):
    with connect(roles, "auth_single"):
        assert 'too many connections for role "auth_single"' in refusal(roles, "auth_single")


def test_sessions_begin_with_the_settings_of_their_role(roles):
    with connect(roles, "auth_settings") as connection:
        assert connection.execute("show work_mem").fetchone() == ("3MB",)
        assert connection.execute("show search_path").fetchone() == ('one, "Two"',)
        connection.execute("set work_mem = '1MB'")
        connection.execute("reset work_mem")
        assert connection.execute("show work_mem").fetchone() == ("3MB",)
    with connect(roles, "auth_settings", options="-c work_mem=5MB") as connection:
        assert connection.execute("show work_mem").fetchone() == ("5MB",)
    with connect(roles, "auth_open", options="-c role=auth_group") as connection:
        assert whoami(connection) == ("auth_group", "auth_open")
    assert "permission denied to set role" in refusal(roles, "auth_open", options="-c role=auth_settings")


def test_a_renamed_role_goes_on_under_its_new_name(roles):
    with roles.connect() as boss:
        boss.execute("create role auth_before login")
        with connect(roles, "auth_before") as connection:
            assert whoami(connection) == ("auth_before", "auth_before")
            boss.execute("alter role auth_before rename to auth_after")
            assert whoami(connection) == ("auth_after", "auth_after")
            connection.execute("set work_mem = '2MB'")
            assert whoami(connection) == ("auth_after", "auth_after")
        boss.execute("drop role auth_after")


def sasl(server, *messages):
    """What the server answers to SASL messages: kinds and bodies, the last an error."""
    with protocol.Client(server.port) as client:
        client.send(protocol.startup({"user": "auth_secret", "database": "postgres"}))
        answers = [client.read_raw()]
        for body in messages:
            client.send(protocol.message("p", body))
            answers.append(client.read_raw())
        return answers


def initial(first: bytes) -> bytes:
    return b"SCRAM-SHA-256\0" + struct.pack("!i", len(first)) + first


@pytest.mark.parametrize(
    "messages",
    [
        [b"SCRAM-SHA-256-PLUS\0" + struct.pack("!i", 0)],
        [initial(b"p=tls-server-end-point,,n=,r=abc")],
        [initial(b"n,a=x,n=,r=abc")],
        [initial(b"n,,m=1,n=,r=abc")],
        [initial(b"n,,r=abc")],
        [initial(b"nonsense")],
        [initial(b"")],
        [initial(b"n,,n=,r=abc"), b"c=biws,r=abc,p=AAAA"],
        [initial(b"n,,n=,r=abc"), b"c=eSws,r=abc,p=AAAA"],
        [initial(b"n,,n=,r=abc"), b"nothing"],
        [b""],
    ],
)
def test_messages_that_are_no_exchange_end_the_session(roles, messages):
    answers = sasl(roles, *messages)
    assert answers[0][0] == "R" and answers[0][1] == struct.pack("!i", 10) + b"SCRAM-SHA-256\0\0"
    assert answers[-1][0] == "E" and b"FATAL" in answers[-1][1]
