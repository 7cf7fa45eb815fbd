from cosyedge.daemon.watchtower import DAY_S, WARNED_DAYS, certificate_fault


def test_a_certificate_is_a_fault_14_3_and_1_days_before_it_ends() -> None:
    def warned(days_left: float) -> list[int]:
        return [d for d in WARNED_DAYS if certificate_fault(1e9 + days_left * DAY_S, 1e9, d)]

    assert [warned(left) for left in (30, 13.9, 2.9, 0.9, -1)] == [
        [],
        [14],
        [14, 3],
        [14, 3, 1],
        [14, 3, 1],
    ]


def test_a_connection_without_tls_has_no_certificate_to_end() -> None:
    assert certificate_fault(None, 1e9, 14) is None
